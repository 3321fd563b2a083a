import { Problem, problem, rule, transfer } from '@mainline/contract'
import type { Storage } from '../../../storage/index.ts'
import type { RowResult, RowResults } from '../run.ts'
import { importHosts, importNodes } from './bulk.ts'
import { countLines, type EstateFile, type Line, readLines } from './lines.ts'
import { isSmall, type Listed, lists, type SmallKind } from './list.ts'
import { make, updatePreset } from './make.ts'
import { type AnyRecord, keyOf } from './records.ts'
import { compareRecord, contextOf, type EstateImport, failed } from './taking.ts'

/** Lines imported per change, or reported per batch of a dry run. */
const linesPerBatch = 500
/** Kinds that change the model: imported while holding the account's chain exclusively. */
const modelKinds: readonly string[] = [
  'classification',
  'object',
  'attribute_group',
  'attribute',
  'association_kind',
  'object_association',
  'unique',
  'required',
  'paused',
]

type Good = Line & { readonly record: AnyRecord }

/** The storage to import into, the actor, and the functions that create records. */
export interface Target extends Pick<EstateImport, 'actor' | 'making'> {
  readonly storage: Storage
}

/** Imports the lines in order. Existing records are left as they are; differences are reported. */
export const importEstate = ({ storage, actor, making }: Target, file: EstateFile, until: AbortSignal) => {
  const change: EstateImport['change'] = (work, options) => storage.change(actor, work, { ...options, bulk: true })
  return importLines({ actor, making, reader: storage.heavy, change }, readLines(file), until)
}

/** The dry run: one change for all lines, since later ones depend on earlier ones, which is rolled back. */
export async function* rehearseEstate(
  { storage, actor, making }: Target,
  file: EstateFile,
  until: AbortSignal,
): AsyncGenerator<RowResults> {
  if (file.from > 1) throw problem('invalid', { field: 'from', rule: rule('wholeFile') })
  if (countLines(file) > transfer.mostAtOnce)
    throw problem('tooMany', { what: rule('rows'), limit: transfer.mostAtOnce })
  yield* await storage.rehearse(actor, ({ reader, change }) =>
    Array.fromAsync(importLines({ actor, making, reader, change }, readLines(file), until)),
  )
}

async function* importLines(
  taking: EstateImport,
  lines: Iterable<Line>,
  until: AbortSignal,
): AsyncGenerator<RowResults> {
  const untouched = await isUntouched(taking)
  const known = new ExistingRecords(taking)
  for (const run of runsOf(lines)) {
    if (until.aborted) return
    yield await importRun(taking, run, known, untouched)
  }
}

/** Runs of consecutive lines of one kind and, for nodes and hosts, of one business. */
function* runsOf(lines: Iterable<Line>): Generator<Line[]> {
  const signOf = (line: Line) =>
    line.wrong ? '' : `${line.record.is} ${'path' in line.record || 'cloud' in line.record ? line.record.business : ''}`
  let run: Line[] = []
  for (const line of lines) {
    const [first] = run
    if (first && (run.length >= linesPerBatch || signOf(first) !== signOf(line))) {
      yield run
      run = []
    }
    run.push(line)
  }
  if (run.length > 0) yield run
}

async function importRun(
  taking: EstateImport,
  run: readonly Line[],
  known: ExistingRecords,
  untouched: boolean,
): Promise<RowResults> {
  const good = run.filter((line): line is Good => !line.wrong)
  const kind = good[0]?.record.is
  if (kind === 'node') return importNodes(taking, good as never)
  if (kind === 'host') return importHosts(taking, good as never)
  const results = new Map<number, RowResult>()
  for (const line of run) {
    results.set(line.number, line.wrong ? failed(line.wrong) : await importLine(taking, line.record, known, untouched))
  }
  return results
}

async function importLine(
  taking: EstateImport,
  record: AnyRecord,
  known: ExistingRecords,
  untouched: boolean,
): Promise<RowResult> {
  if (!isSmall(record.is)) return { outcome: 'unchanged' }
  const kind: SmallKind = record.is
  const key = keyOf(record)
  const there = (await known.of(kind)).get(key)
  const result = there && compareRecord(record, there.record as AnyRecord)
  const mends = result?.outcome === 'failed' && there?.preset && untouched
  if (result && !mends) return result
  const outcome = mends ? 'updated' : 'created'
  try {
    await write(taking, kind, record, there)
    known.add(kind, key, { record: record as never, id: there?.id ?? 0, preset: there?.preset ?? false })
    return { outcome }
  } catch (error) {
    if (error instanceof Problem) return failed(error)
    throw error
  }
}

async function write(
  { change, making }: EstateImport,
  kind: SmallKind,
  record: AnyRecord,
  there: Listed | undefined,
): Promise<void> {
  const chain = modelKinds.includes(kind) ? 'exclusive' : 'shared'
  const again = updatePreset[kind]
  await change<unknown>(
    (tx) => (there && again ? again(tx, there.id, record as never, making) : make[kind](tx, record as never, making)),
    { chain },
  )
}

/** The existing records of the current kind; read again when the kind changes. */
class ExistingRecords {
  readonly #taking: EstateImport
  #kind: SmallKind | undefined
  #listed = new Map<string, Listed>()

  constructor(taking: EstateImport) {
    this.#taking = taking
  }

  async of(kind: SmallKind): Promise<ReadonlyMap<string, Listed>> {
    if (kind !== this.#kind) {
      const all: readonly Listed[] = await lists[kind](await contextOf(this.#taking))
      this.#listed = new Map(all.map((each) => [keyOf(each.record), each]))
      this.#kind = kind
    }
    return this.#listed
  }

  add(kind: SmallKind, key: string, listed: Listed): void {
    if (kind === this.#kind) this.#listed.set(key, listed)
  }
}

/** Whether the account has no business and no host yet, so that built-in records may be updated to match the file. */
async function isUntouched({ reader, actor: { account } }: EstateImport): Promise<boolean> {
  const business = await reader
    .selectFrom('node')
    .select('id')
    .where('account', '=', account)
    .where('object_id', '=', 'biz')
    .where('built_in', '=', 0)
    .limit(1)
    .executeTakeFirst()
  const host = await reader.selectFrom('host').select('id').where('account', '=', account).limit(1).executeTakeFirst()
  return !business && !host
}
