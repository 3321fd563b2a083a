import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { readOwnJson } from '../../common/own-json.ts'
import { BadFile, type Frame, type FrameMark, firstFrame, readFrames, refuseForeign, writeFrames } from './frames.ts'
import type { Contents, Portion, Source } from './snapshot.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Format version; raised by changes that older programs cannot read. */
const format = 1

/** The first letter of a frame is its type; only rows are compressed. */
const letters = { header: 'H', rows: 'R', end: 'E' } as const
type Letter = (typeof letters)[keyof typeof letters]

export interface Header extends Contents {
  readonly format: number
  readonly taken_at: number
}

export async function writeBackup(file: FileHandle, source: Source, onRows: (count: number) => void): Promise<void> {
  const frames = await writeFrames(file)
  const put = (letter: Letter, payload: Buffer | string) =>
    frames.write(Buffer.concat([Buffer.from(letter), Buffer.from(payload)]))
  const { engine, steps, counters, counts } = source
  const header: Header = { format, taken_at: Date.now(), engine, steps, counters, counts }
  await put(letters.header, JSON.stringify(header))
  // The next portion is read while this one is compressed.
  let writing: Promise<void> = Promise.resolve()
  for await (const { table, columns, rows } of source.portions()) {
    const packed = compress([JSON.stringify([table, columns]), ...rows].join('\n'))
    // Awaited later; without a handler until then, a rejection would end the process.
    packed.catch(() => {})
    await writing
    writing = packed.then((bytes) => put(letters.rows, bytes))
    writing.catch(() => {})
    onRows(rows.length)
  }
  await writing
  await put(letters.end, '{}')
}

export interface Backup {
  readonly header: Header
  /** All rows, or those of one table. Checksums are verified while reading. */
  portions(table?: string): AsyncIterable<Portion>
}

/** Reads the whole file once and verifies every checksum and count, before any of its content is used. */
export async function openBackup(file: FileHandle, begin: (header: Header) => (rows: number) => void): Promise<Backup> {
  await refuseForeign(file)
  const frames = readFrames(file)
  const header = readHeader((await frames.next()).value)
  const onRows = begin(header)
  const begins = new Map<string, FrameMark>()
  const counts: Record<string, number> = {}
  for await (const { mark, portion } of portionsFrom(frames)) {
    if (!begins.has(portion.table)) begins.set(portion.table, mark)
    counts[portion.table] = (counts[portion.table] ?? 0) + portion.rows.length
    onRows(portion.rows.length)
  }
  for (const [table, count] of Object.entries(header.counts)) {
    const found = counts[table] ?? 0
    if (found !== count) throw new BadFile(`says that table ${table} has ${count} rows, and has ${found}`)
  }
  return {
    header,
    async *portions(table) {
      const from = table === undefined ? firstFrame : begins.get(table)
      if (!from) return
      const all = readFrames(file, from)
      if (table === undefined) await all.next()
      for await (const { portion } of portionsFrom(all)) {
        if (table !== undefined && portion.table !== table) return
        yield portion
      }
    },
  }
}

/** The frame's checksum has been verified, so an invalid header was written that way. */
function readHeader(frame: Frame | undefined): Header {
  if (!frame) throw new BadFile('is cut off after its first line')
  const header = readOwnJson<Header>(frame.body.subarray(1).toString())
  if (header.format !== format) {
    throw new BadFile(`is of format ${header.format}, and this program reads ${format}. Use the release that wrote it`)
  }
  return header
}

async function* portionsFrom(frames: AsyncIterable<Frame>): AsyncGenerator<{ mark: FrameMark; portion: Portion }> {
  let hasEnded = false
  for await (const { body, mark } of frames) {
    if (hasEnded) throw new BadFile('goes on after its end')
    hasEnded = body[0] === letters.end.charCodeAt(0)
    if (hasEnded) continue
    const [first = '', ...rows] = (await decompress(body.subarray(1))).toString().split('\n')
    const [table, columns] = readOwnJson<[string, string[]]>(first)
    yield { mark, portion: { table, columns, rows } }
  }
  if (!hasEnded) throw new BadFile('is cut off: its end is missing')
}
