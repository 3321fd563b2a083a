import { readFileSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { Failure, failureOf, unreachable } from '@mainline/client'
import { type DataOf, Problem, transfer } from '@mainline/contract'
import { Refusal } from '../../platform/refusal.ts'
import { failedFile, readSheet, type Sheet } from '../../platform/sheets/index.ts'
import { progressBar } from '../progress.ts'
import { neededBusiness } from './business.ts'
import { importKinds } from './catalogue.ts'
import { visible } from './cells.ts'
import { bytesOf, type Connection, connect, reasonOf } from './connection.ts'
import type { Given } from './flags.ts'
import { type Journal, noJournal, openJournal } from './import-state.ts'
import { outputTo } from './output.ts'
import { exitCodes, misused, refuseFlags, wordIn, wordsOf } from './usage.ts'

/** Pauses before trying again, in seconds; after each row that is taken they begin anew. */
const pauses = [1, 2, 4, 8, 15, 30, 30, 30]
/** What is sent of an estate at once. */
const partSize = 16 * 1024 * 1024
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
  const path = `${isEstate ? await estateOf(connection) : await placeOf(connection, given, what)}?${query}`
  const journal =
    dryRun || atomic ? noJournal() : openJournal(file, bytes, `${connection.server}${path}`, given.has('restart'))
  if (journal.resumed) process.stderr.write(`Going on at row ${journal.state.next}.\n`)

  const rows = sheet ? (sheet.rows.at(-1)?.number ?? 0) : countLines(bytes)
  if (isEstate && dryRun) refuseLarge(bytes, rows)
  const parts = isEstate && !dryRun ? partsOf(bytes) : [{ bytes, before: 0, upTo: rows }]
  for (const part of parts) {
    if (part.upTo < journal.state.next) continue
    await sendPart({ connection, path, journal, rows, dryRun, whole: dryRun || atomic }, part)
  }
  await report(journal, sheet, given.value('failed') ?? failedName(file), dryRun)
  journal.close()
}

const placeOf = async (connection: Connection, given: Given, what: string) =>
  `/import/${what}/${await neededBusiness(connection, given, `import ${what}`)}`

async function estateOf({ client, account }: Connection): Promise<string> {
  // A server that is lost is waited for, one that was never there is not.
  await client.session.getSession()
  return `/import/estate/${encodeURIComponent(account)}`
}

function readFile(file: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(file)
  } catch (error) {
    throw misused(`${file} cannot be read: ${(error as Error).message}.`)
  }
}

/** Read here as well: to know how many rows there are, and to give back those that failed. */
async function sheetOf(bytes: Buffer): Promise<Sheet> {
  try {
    if (bytes.length > transfer.largestFile) {
      throw new Refusal(`The file may hold at most ${transfer.largestFile / 1_048_576} MiB; cut it in two.`)
    }
    return await readSheet(bytes)
  } catch (error) {
    throw error instanceof Problem ? new Refusal(error.message) : error
  }
}

/** What is tried out is sent at once: lines build upon those before them, and nothing of them is kept in between. */
function refuseLarge(bytes: Buffer, lines: number): void {
  const { mostAtOnce, largestFile } = transfer
  if (lines <= mostAtOnce && bytes.length <= largestFile) return
  throw new Refusal(
    `An estate is tried out as a whole: at most ${mostAtOnce} lines and ${largestFile / 1_048_576} MiB, and this one has ${lines} lines. ` +
      `Try it out without its hosts: grep -v '^{"is":"host"'.`,
  )
}

interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Lines of the file that stand before it, and up to its end. */
  readonly before: number
  readonly upTo: number
}

const newline = 10

const countLines = (bytes: Buffer): number => {
  let lines = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines++
  return lines + (bytes.length > 0 && bytes.at(-1) !== newline ? 1 : 0)
}

/** Whole lines, as many as go into one request. */
function* partsOf(bytes: Buffer<ArrayBuffer>): Generator<Part> {
  for (let at = 0, before = 0; at < bytes.length; ) {
    const last = at + partSize >= bytes.length ? bytes.length - 1 : bytes.lastIndexOf(newline, at + partSize)
    if (last < at) throw new Refusal(`Line ${before + 1} is longer than a request may be.`)
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
  /** Rows count only together: what is told of some of them is worth nothing without the rest. */
  readonly whole: boolean
}

/** Sends it, and sends what is left of it again as often as the way there breaks off; all of it where only the whole counts. */
async function sendPart(run: Run, { bytes, before, upTo }: Part): Promise<void> {
  const { connection, path, journal, rows, dryRun, whole } = run
  const { state } = journal
  const progress = progressBar(dryRun ? 'Trying' : 'Importing')
  const output = outputTo()
  let saved = 0
  for (let attempt = 0; ; attempt++) {
    const held: Fate[] = []
    try {
      const from = Math.max(1, state.next - before)
      for await (const line of linesOf(await connection.send(`${path}&from=${from}`, bytes))) {
        if ('done' in line) {
          for (const fate of held) {
            take(journal, fate)
            if (dryRun) await output.write(lineOf(fate))
          }
          progress(Math.min(upTo, rows), rows)
          await output.flush()
          return journal.save()
        }
        const told = { ...line, row: line.row + before }
        if (whole) held.push(told)
        else {
          attempt = 0
          take(journal, told)
        }
        if (Date.now() - saved > saveEvery) {
          journal.save()
          saved = Date.now()
          progress(told.row, rows)
        }
      }
      throw unreachable(path, new Error('the answer broke off'))
    } catch (error) {
      if (state.next > 1) journal.save()
      if (!(error instanceof Failure && error.passing)) throw error
      const pause = pauses[attempt]
      if (pause === undefined) {
        throw new Refusal(
          `${reasonOf(error)}. Start it again when the server is there: no row is taken twice.`,
          exitCodes.unreachable,
        )
      }
      process.stderr.write(`${reasonOf(error)}; ${whole ? 'beginning anew' : 'going on'} in ${pause} s.\n`)
      await setTimeout(pause * 1_000)
    }
  }
}

type Line = DataOf<typeof transfer.importHosts>
type Fate = Extract<Line, { row: number }>

function take({ state }: Journal, { row, outcome, why }: Fate): void {
  state.counts[outcome]++
  state.next = row + 1
  if (why !== undefined) state.failed.set(row, why)
}

const lineOf = ({ row, outcome, why }: Fate) => `${row}\t${outcome}${why === undefined ? '' : `\t${visible(why)}`}\n`

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
  const told = transfer.outcomes.filter((outcome) => counts[outcome] > 0).map((each) => `${counts[each]} ${each}`)
  process.stdout.write(`${dryRun ? 'Would be: ' : ''}${told.join(', ') || 'no rows'}.\n`)
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
    throw misused(
      `${failedPath} cannot be written: ${(error as Error).message}. Say --failed FILE to keep them elsewhere.`,
    )
  }
  process.stderr.write(`Rows that failed are in ${failedPath}: correct them there and import that file.\n`)
}
