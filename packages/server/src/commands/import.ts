import { readFileSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Problem, transfer } from '@mainline/contract'
import { Refusal } from '../platform/refusal.ts'
import { failedFile, readSheet, type Sheet } from '../platform/sheets/index.ts'
import { businessCalled, type Connection, connect, connectionOptions, Unreachable } from './connection.ts'
import { freshState, type Journal, openJournal } from './import-state.ts'
import { progressBar } from './progress.ts'

const usage = 'Usage: mainline import hosts|topology|estate FILE [flags]'
/** Pauses before trying again, in seconds; after each row that is taken they begin anew. */
const pauses = [1, 2, 4, 8, 15, 30, 30, 30]
/** What is sent of an estate at once. */
const partSize = 16 * 1024 * 1024
const saveEvery = 200
const failuresShown = 20

export async function importCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args)
  const [what, file] = positionals
  if (!file || !['hosts', 'topology', 'estate'].includes(what ?? '')) throw new Refusal(usage)
  const connection = connect(values, process.env)
  const bytes = readFile(file)
  const isEstate = what === 'estate'
  const sheet = isEstate ? undefined : await sheetOf(bytes)
  const place = isEstate
    ? `/import/estate/${connection.account}`
    : `/import/${what}/${await businessCalled(connection, values.business)}`
  const query = new URLSearchParams(
    Object.entries({ dry_run: values['dry-run'], atomic: values.atomic }).flatMap(([name, on]) =>
      on ? [[name, 'true']] : [],
    ),
  )
  const path = `${place}?${query}`
  const tries = Boolean(values['dry-run'] || values.atomic)
  const journal = tries
    ? { state: freshState(), resumed: false, save() {}, close() {} }
    : openJournal(file, bytes, `${connection.server}${path}`, values.restart ?? false)
  if (journal.resumed) process.stderr.write(`Going on at row ${journal.state.next}.\n`)

  const rows = sheet ? (sheet.rows.at(-1)?.number ?? 0) : countLines(bytes)
  const parts = isEstate ? partsOf(bytes) : [{ bytes, before: 0, upTo: rows }]
  for (const part of parts) {
    if (part.upTo < journal.state.next) continue
    await sendPart(connection, path, part, journal, rows, values['dry-run'] ?? false)
  }
  await report(journal, sheet, values.failed ?? failedName(file), values['dry-run'] ?? false)
  journal.close()
}

function readArgs(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...connectionOptions,
        business: { type: 'string' },
        'dry-run': { type: 'boolean' },
        atomic: { type: 'boolean' },
        restart: { type: 'boolean' },
        failed: { type: 'string' },
      },
    })
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n${usage}`)
  }
}

function readFile(file: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}`)
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

/** Sends it, and sends what is left of it again as often as the way there breaks off. */
async function sendPart(
  connection: Connection,
  path: string,
  { bytes, before, upTo }: Part,
  journal: Journal,
  rows: number,
  dryRun: boolean,
): Promise<void> {
  const { state } = journal
  const progress = progressBar(dryRun ? 'Trying' : 'Importing')
  let saved = 0
  for (let attempt = 0; ; attempt++) {
    try {
      const from = Math.max(1, state.next - before)
      const answer = await connection.send('POST', `${path}&from=${from}`, bytes, 'application/octet-stream')
      for await (const line of linesOf(answer)) {
        if ('bk_error_code' in line) throw new Refusal(String(line.bk_error_msg))
        if ('done' in line) {
          progress(Math.min(upTo, rows), rows)
          return journal.save()
        }
        attempt = 0
        take(journal, { ...(line as unknown as Told), row: Number(line.row) + before }, dryRun)
        if (Date.now() - saved > saveEvery) {
          journal.save()
          saved = Date.now()
          progress(state.next - 1, rows)
        }
      }
      throw new Unreachable('the answer broke off')
    } catch (error) {
      if (state.next > 1) journal.save()
      const pause = pauses[attempt]
      if (!(error instanceof Unreachable)) throw error
      if (pause === undefined) throw new Refusal(`${error.message}. The same command goes on where this one stopped.`)
      process.stderr.write(`${error.message}; going on in ${pause} s.\n`)
      await setTimeout(pause * 1_000)
    }
  }
}

interface Told {
  readonly row: number
  readonly outcome: transfer.Outcome
  readonly why?: string
}

function take({ state }: Journal, { row, outcome, why }: Told, dryRun: boolean): void {
  state.counts[outcome]++
  state.next = row + 1
  if (why !== undefined) state.failed.set(row, why)
  if (dryRun) process.stdout.write(`${row}\t${outcome}${why === undefined ? '' : `\t${why}`}\n`)
}

async function* linesOf(answer: Response): AsyncGenerator<Record<string, unknown>> {
  let rest = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of answer.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
  } catch (error) {
    if (error instanceof TypeError) throw new Unreachable('the connection was lost')
    throw error
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
  process.exitCode = 1
  if (!dryRun) {
    for (const [row, why] of [...failed].slice(0, failuresShown)) process.stderr.write(`row ${row}: ${why}\n`)
    if (failed.size > failuresShown) process.stderr.write(`and ${failed.size - failuresShown} more\n`)
  }
  if (!sheet || dryRun) return
  writeFileSync(failedPath, await buffer(failedFile(sheet, failed)))
  process.stderr.write(`Rows that failed are in ${failedPath}: correct them there and import that file.\n`)
}
