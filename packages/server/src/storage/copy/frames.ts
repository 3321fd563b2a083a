import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

/** The first line of a backup, readable for people and `file`. */
const firstLine = Buffer.from('Mainline backup\n')

/**
 * Frames follow: four bytes of length, 32 bytes of checksum, the body. A checksum covers the body and the previous checksum, so that
 * frames cannot be changed, removed or reordered unnoticed.
 */
const prefixLength = 36

const chained = (previous: Buffer, body: Buffer) => createHash('sha256').update(previous).update(body).digest()
const start = chained(Buffer.alloc(0), firstLine)

interface FrameWriter {
  write(body: Buffer): Promise<void>
}

export async function writeFrames(file: FileHandle): Promise<FrameWriter> {
  let previous = start
  await writeAll(file, firstLine)
  return {
    async write(body) {
      previous = chained(previous, body)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(body.length)
      await writeAll(file, Buffer.concat([length, previous, body]))
    },
  }
}

/** A write may be partial, as on a nearly full disk. */
async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done)
    done += bytesWritten
  }
}

export interface Frame {
  readonly body: Buffer
  /** Position and checksum from which reading can resume at this frame. */
  readonly mark: FrameMark
}

export interface FrameMark {
  readonly offset: number
  readonly previous: Buffer
}

/** A fault of a backup file; the caller adds the file's name to the message. */
export class BadFile extends Error {}

export const firstFrame: FrameMark = { offset: firstLine.length, previous: start }

export async function refuseForeign(file: FileHandle): Promise<void> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(firstLine.length), 0, firstLine.length, 0)
  if (bytesRead === 0) throw new BadFile('is empty')
  if (!buffer.equals(firstLine)) throw new BadFile('is not a backup of Mainline')
}

export async function* readFrames(file: FileHandle, from = firstFrame): AsyncGenerator<Frame> {
  const { size } = await file.stat()
  const cut = () => new BadFile(`is cut off at byte ${size}: it was not written or not copied to its end`)
  const read = async (at: number, length: number) => {
    if (at + length > size) throw cut()
    const bytes = Buffer.alloc(length)
    for (let done = 0; done < length; ) {
      const { bytesRead } = await file.read(bytes, done, length - done, at + done)
      if (bytesRead === 0) throw cut()
      done += bytesRead
    }
    return bytes
  }
  for (let mark = from; mark.offset < size; ) {
    const prefix = await read(mark.offset, prefixLength)
    const body = await read(mark.offset + prefixLength, prefix.readUInt32BE())
    const digest = chained(mark.previous, body)
    if (!prefix.subarray(4).equals(digest)) {
      throw new BadFile(`is damaged at or after byte ${mark.offset}: the checksum does not fit`)
    }
    yield { body, mark }
    mark = { offset: mark.offset + prefixLength + body.length, previous: digest }
  }
}
