import { readFileSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { Failure, failureOf, unreachable } from '@mainline/client'
import { type DataOf, Problem, transfer } from '@mainline/contract'
import { progressBar } from '../../commands/progress.ts'
import { messageOf } from '../../common/error-code.ts'
import { fileFault } from '../../common/file-fault.ts'
import { Refusal } from '../../common/refusal.ts'
import { failedFile, readSheet, type Sheet } from '../../sheets/index.ts'
import { neededBusiness } from '../arguments/business.ts'
import type { Given } from '../arguments/flags.ts'
import { exitCodes, misused, refuseFlags, wordIn, wordsOf } from '../arguments/usage.ts'
import { importKinds } from '../catalogue.ts'
import { bytesOf, type Connection, connect, reasonOf } from '../connection/connection.ts'
import { visible } from '../output/cells.ts'
import { outputTo } from '../output/output.ts'
import { type Journal, noJournal, openJournal } from './import-state.ts'

/** Pauses between attempts; they start again from the first after each imported row. */
const retryPausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000]
/** Bytes of an estate file per request. */
const maxPartBytes = 16 * 1024 * 1024
const saveEvery = 200
const failuresShown = 20

export async function importCommand(given: Given): Promise<void> {
  const [word, file] = wordsOf(given, 'import', 2)
  const what = wordIn('import', importKinds, word)
  if (!file) throw misused(`Which file? 'mainline import ${what} FILE'.`)
  const isEstate = what === 'estate'
  if (isEstate) refuseFlags(given, ['business', 'atomic', 'failed'], 'hosts and topology')
  const [dryRun, atomic] = [given.has('dry-run'), given.has('atomic')]
  const bytes = readFile(file)
  const sheet = isEstate ? undefined : await sheetOf(bytes)
  const connection = await connect(given)
  const query = new URLSearchParams({ ...(dryRun && { dry_run: 'true' }), ...(atomic && { atomic: 'true' }) })
  const path = `${isEstate ? await estateOf(connection) : await targetOf(connection, given, what)}?${query}`
  const journal =
    dryRun || atomic ? noJournal() : openJournal(file, bytes, `${connection.server}${path}`, given.has('restart'))
  if (journal.resumed) process.stderr.write(`Resuming at row ${journal.state.next}.\n`)

  const rows = sheet ? (sheet.rows.at(-1)?.number ?? 0) : countLines(bytes)
  if (isEstate && dryRun) refuseLarge(bytes, rows)
  const parts = isEstate && !dryRun ? importPartsOf(bytes) : [{ bytes, before: 0, upTo: rows }]
  for (const part of parts) {
    if (part.upTo < journal.state.next) continue
    await sendPart({ connection, path, journal, rows, dryRun, whole: dryRun || atomic }, part)
  }
  await report(journal, sheet, given.value('failed') ?? failedName(file), dryRun)
  journal.close()
}

const targetOf = async (connection: Connection, given: Given, what: string) =>
  `/import/${what}/${await neededBusiness(connection, given, `import ${what}`)}`

async function estateOf({ client, account }: Connection): Promise<string> {
  // Fails immediately if the server is unreachable; later failures are retried.
  await client.session.getSession()
  return `/import/estate/${encodeURIComponent(account)}`
}

function readFile(file: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(file)
  } catch (error) {
    throw misused(`${file} cannot be read: ${fileFault(error) ?? messageOf(error)}.`)
  }
}

/** The file is also parsed here, to count its rows and to write the failed ones to a file. */
async function sheetOf(bytes: Buffer): Promise<Sheet> {
  try {
    if (bytes.length > transfer.largestFile) {
      throw new Refusal(`The file may be at most ${transfer.largestFile / 1_048_576} MiB; split it.`)
    }
    return await readSheet(bytes)
  } catch (error) {
    throw error instanceof Problem ? new Refusal(error.message) : error
  }
}

/** A dry run must be sent in one request, since later lines depend on earlier ones and nothing is kept in between. */
function refuseLarge(bytes: Buffer, lines: number): void {
  const { mostAtOnce, largestFile } = transfer
  if (lines <= mostAtOnce && bytes.length <= largestFile) return
  throw new Refusal(
    `A dry run takes a whole estate: at most ${mostAtOnce} lines and ${largestFile / 1_048_576} MiB, but this one has ${lines} lines. ` +
      `Run it without the hosts: grep -v '^{"is":"host"'.`,
  )
}

interface ImportPart {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The numbers of lines before this part, and up to its end. */
  readonly before: number
  readonly upTo: number
}

const newline = 10

const countLines = (bytes: Buffer): number => {
  let lines = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines++
  return lines + (bytes.length > 0 && bytes.at(-1) !== newline ? 1 : 0)
}

/** Splits the file between lines into parts of one request each. */
function* importPartsOf(bytes: Buffer<ArrayBuffer>): Generator<ImportPart> {
  for (let at = 0, before = 0; at < bytes.length; ) {
    const last = at + maxPartBytes >= bytes.length ? bytes.length - 1 : bytes.lastIndexOf(newline, at + maxPartBytes)
    if (last < at) throw new Refusal(`Line ${before + 1} exceeds the maximum request size.`)
    const part = bytes.subarray(at, last + 1)
    const upTo = before + countLines(part)
    yield { bytes: part, before, upTo }
    before = upTo
    at = last + 1
  }
}

interface Run {
  readonly connection: Connection
  readonly path: string
  readonly journal: Journal
  readonly rows: number
  readonly dryRun: boolean
  /** Whether rows count only together, so that results of some of them are useless. */
  readonly whole: boolean
}

/** Sends a part; after a broken connection sends the remaining rows, or all of them if they count only together. */
async function sendPart(run: Run, { bytes, before, upTo }: ImportPart): Promise<void> {
  const { connection, path, journal, rows, dryRun, whole } = run
  const { state } = journal
  const progress = progressBar(dryRun ? 'Trying' : 'Importing')
  const output = outputTo()
  let saved = 0
  for (let attempt = 0; ; attempt++) {
    const pending: RowLine[] = []
    try {
      const from = Math.max(1, state.next - before)
      for await (const line of linesOf(await connection.send(`${path}&from=${from}`, bytes))) {
        if ('done' in line) {
          for (const held of pending) {
            take(journal, held)
            if (dryRun) await output.write(resultLine(held))
          }
          progress(Math.min(upTo, rows), rows)
          await output.flush()
          return journal.save()
        }
        const result = { ...line, row: line.row + before }
        if (whole) pending.push(result)
        else {
          attempt = 0
          take(journal, result)
        }
        if (Date.now() - saved > saveEvery) {
          journal.save()
          saved = Date.now()
          progress(result.row, rows)
        }
      }
      throw unreachable(path, new Error('the response was truncated'))
    } catch (error) {
      if (state.next > 1) journal.save()
      if (!(error instanceof Failure && error.passing)) throw error
      const pauseMs = retryPausesMs[attempt]
      if (pauseMs === undefined) {
        throw new Refusal(
          `${reasonOf(error)}. Run the command again when the server is reachable: no row is imported twice.`,
          exitCodes.unreachable,
        )
      }
      process.stderr.write(`${reasonOf(error)}; ${whole ? 'starting again' : 'continuing'} in ${pauseMs / 1_000} s.\n`)
      await setTimeout(pauseMs)
    }
  }
}

type Line = DataOf<typeof transfer.importHosts>
type RowLine = Extract<Line, { row: number }>

function take({ state }: Journal, { row, outcome, why }: RowLine): void {
  state.counts[outcome]++
  state.next = row + 1
  if (why !== undefined) state.failed.set(row, why)
}

const resultLine = ({ row, outcome, why }: RowLine) =>
  `${row}\t${outcome}${why === undefined ? '' : `\t${visible(why)}`}\n`

async function* linesOf(answer: Response): AsyncGenerator<Exclude<Line, { bk_error_code: number }>> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of bytesOf(answer)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const read: Line = JSON.parse(line)
      if ('bk_error_code' in read) throw failureOf(answer.url, answer, { ...read, result: false })
      yield read
    }
  }
}

const failedName = (file: string) => {
  const extension = extname(file)
  return `${file.slice(0, file.length - extension.length)}.failed${extension}`
}

async function report({ state }: Journal, sheet: Sheet | undefined, failedPath: string, dryRun: boolean) {
  const { counts, failed } = state
  const summary = transfer.outcomes.filter((outcome) => counts[outcome] > 0).map((each) => `${counts[each]} ${each}`)
  process.stdout.write(`${dryRun ? 'Would be: ' : ''}${summary.join(', ') || 'no rows'}.\n`)
  if (failed.size === 0) return
  process.exitCode = exitCodes.refused
  if (!dryRun) {
    for (const [row, why] of [...failed].slice(0, failuresShown)) process.stderr.write(`row ${row}: ${visible(why)}\n`)
    if (failed.size > failuresShown) process.stderr.write(`and ${failed.size - failuresShown} more\n`)
  }
  if (!sheet || dryRun) return
  const rows = await buffer(failedFile(sheet, failed))
  try {
    writeFileSync(failedPath, rows)
  } catch (error) {
    throw misused(`${failedPath} cannot be written: ${messageOf(error)}. Use --failed FILE to write them elsewhere.`)
  }
  process.stderr.write(`Rows that failed are in ${failedPath}: correct them there and import that file.\n`)
}
