import { buffer } from 'node:stream/consumers'
import { type Language, Problem, problem, rule, transfer } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import type { Spelling } from '../../http/dialect.ts'
import { readFlag } from '../../http/query.ts'
import { type Caller, handle, type Request, type Route } from '../../http/route.ts'
import { Stream } from '../../http/stream.ts'
import type { Outbound } from '../../outbound/index.ts'
import { type Format, failedFile, fileTypes, formats, readSheet, type Sheet, writeSheet } from '../../sheets/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { Editor } from '../hosts/index.ts'
import { type Model, modelAt, modelOf } from '../model/index.ts'
import type { MissingEditGrant } from '../privileges/index.ts'
import type { QueryReading } from '../queries/run/index.ts'
import { findBusiness, type LevelRules } from '../topology/index.ts'
import { estateOf, importEstate, rehearseEstate } from './estate/index.ts'
import { hostFile, type SheetKind, templateFile, topologyFile } from './files.ts'
import { hostJob } from './hosts.ts'
import { limitImports } from './import-limit.ts'
import { importRows, type Job, type Options, type RowResults, resultLine } from './run.ts'
import { topologyJob } from './topology.ts'

/** Concurrent imports: each may take a few hundred megabytes. */
const maxConcurrentImports = 2

const ndjson = 'application/x-ndjson'

interface BusinessRequest extends Pick<Request, 'query' | 'until'> {
  readonly actor: Caller
  readonly params: { readonly bk_biz_id: number }
  readonly body: unknown
}

interface TransferParts {
  readonly rules: LevelRules
  readonly groupIdentifiers: Spelling
  readonly reading: QueryReading
  readonly outbound: Outbound
  readonly lacks: MissingEditGrant
}

export function transferRoutes(
  storage: Storage,
  zone: Zone,
  { rules, groupIdentifiers, reading, outbound, lacks }: TransferParts,
): Route[] {
  const { read } = storage
  const gate = limitImports(maxConcurrentImports)
  const business = ({ actor, params }: Pick<BusinessRequest, 'actor' | 'params'>) =>
    findBusiness(read, actor.account, params.bk_biz_id)

  type JobOf = (model: Model, sheet: Sheet, bizId: number, editor: Editor) => Promise<Job<never>>
  async function importSheet(request: BusinessRequest, jobOf: JobOf): Promise<Stream> {
    const { actor, params, query, body, until } = request
    const options = readOptions(query)
    const { modelVersion } = await business(request)
    const output = gate(async function* () {
      const sheet = await readSheet(body as Uint8Array)
      const model = await modelAt(read, actor.account, modelVersion)
      const showing = { language: actor.language, zone }
      const job = await jobOf(model, sheet, params.bk_biz_id, { showing, lacks })
      const why = new Map<number, string>()
      const lines = reportLines(importRows(storage, actor, job, options, until()), options, actor.language, why)
      yield* lines(async () => {
        if (why.size === 0) return null
        const base64 = (await buffer(failedFile(sheet, why))).toString('base64')
        return { name: `failed.${sheet.format}`, type: fileTypes[sheet.format], base64 }
      })
    })
    return new Stream(ndjson, await startStream(output, actor.language))
  }

  async function exportSheet(request: BusinessRequest, kind: SheetKind, rowsOf: typeof hostFile): Promise<Stream> {
    const format = readFormat(request.query)
    const found = await business(request)
    const page = { name: kind, rows: rowsOf(storage, request.actor, zone, found) }
    return new Stream(fileTypes[format], () => writeSheet(format, [page]), { name: `${kind}.${format}` })
  }

  return [
    handle(transfer.importHosts, (request) => importSheet(request, hostJob as JobOf)),
    handle(transfer.importTopology, (request) => importSheet(request, topologyJob as JobOf)),
    handle(transfer.exportHosts, (request) => exportSheet(request, 'hosts', hostFile)),
    handle(transfer.exportTopology, (request) => exportSheet(request, 'topology', topologyFile)),
    handle(transfer.getTemplate, async ({ actor, params, query }) => {
      const format = readFormat(query)
      const kind = readKind(params.kind)
      const model = await modelOf(read, actor.account)
      const parts = () => templateFile(kind, model, actor.language, format)
      return new Stream(fileTypes[format], parts, { name: `${kind}-template.${format}` })
    }),
    handle(transfer.exportEstate, async ({ actor }) => {
      async function* lines() {
        for await (const records of estateOf(storage, actor, zone)) yield linesOf(records)
      }
      return new Stream(ndjson, lines, { name: 'estate.jsonl' })
    }),
    handle(transfer.importEstate, async ({ actor, query, body, until }) => {
      const options = readOptions(query)
      const making = { showing: { language: actor.language, zone }, rules, groupIdentifiers, reading, outbound }
      const output = gate(async function* () {
        const take = options.dryRun ? rehearseEstate : importEstate
        const taken = take({ storage, actor, making }, { bytes: body as Uint8Array, from: options.from }, until())
        yield* reportLines(taken, options, actor.language, new Map())(async () => null)
      })
      return new Stream(ndjson, await startStream(output, actor.language))
    }),
  ]
}

const readKind = (kind: string): SheetKind => {
  if (kind === 'hosts' || kind === 'topology') return kind
  throw problem('invalid', { field: 'kind', rule: rule('oneOf', { values: 'hosts, topology' }) })
}

function readFormat(query: Request['query']): Format {
  const format = formats.find((each) => each === (query.format ?? 'csv'))
  if (!format) throw problem('invalid', { field: 'format', rule: rule('oneOf', { values: formats.join(', ') }) })
  return format
}

function readOptions(query: Request['query']): Options {
  const sent: unknown = query.from
  if (sent !== undefined && !/^[1-9]\d{0,8}$/.test(String(sent))) throw problem('notInteger', { field: 'from' })
  return { dryRun: readFlag(query, 'dry_run'), atomic: readFlag(query, 'atomic'), from: Number(sent ?? 1) }
}

type FailedFile = () => Promise<{ name: string; type: string; base64: string } | null>

/** The response of an import: a line for every row, then a summary. */
function reportLines(
  batches: AsyncIterable<RowResults>,
  { dryRun }: Options,
  language: Language,
  why: Map<number, string>,
) {
  return async function* (failedFile: FailedFile): AsyncGenerator<string> {
    const counts = Object.fromEntries(transfer.outcomes.map((outcome) => [outcome, 0]))
    let rows = 0
    for await (const results of batches) {
      const lines: unknown[] = []
      for (const [row, result] of results) {
        counts[result.outcome] = (counts[result.outcome] ?? 0) + 1
        // An instance that was rolled back has no id.
        const kept = dryRun && result.outcome === 'created' ? { outcome: result.outcome } : result
        const output = resultLine(row, kept, language)
        if ('why' in output) why.set(row, output.why)
        lines.push(output)
      }
      rows += results.size
      yield linesOf(lines)
    }
    yield linesOf([{ done: true, rows, ...counts, dry_run: dryRun, failed_file: await failedFile() }])
  }
}

const linesOf = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Waits for the first part, so that an error of the whole file is an ordinary error response. */
async function startStream(parts: AsyncGenerator<string>, language: Language): Promise<() => AsyncGenerator<string>> {
  const first = await parts.next()
  return async function* () {
    try {
      if (!first.done) yield first.value
      yield* parts
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      yield linesOf([{ bk_error_code: error.code, bk_error_msg: error.text(language) }])
    } finally {
      await parts.return(undefined)
    }
  }
}
