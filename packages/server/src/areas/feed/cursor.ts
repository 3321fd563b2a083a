import { createHash } from 'node:crypto'
import { problem } from '@mainline/contract'

/** How far somebody has come: up to this record, and past so many of its events. */
export interface Cursor {
  readonly position: number
  readonly passed: number
}

/** Everything up to a position has been seen. */
export const after = (position: number): Cursor => ({ position: position + 1, passed: 0 })

/** Opaque to callers, and good in every process on the same database, `epoch`, for as long as its records are kept. */
export function writeCursor(epoch: string, { position, passed }: Cursor): string {
  const text = `${epoch}.${position.toString(36)}.${passed.toString(36)}`
  return Buffer.from(`${text}.${sumOf(text)}`).toString('base64url')
}

/** Refuses what is none of ours, or of another database. */
export function readCursor(epoch: string, written: string): Cursor {
  const [of, position = '', passed = ''] = Buffer.from(written, 'base64url').toString().split('.')
  const cursor = { position: Number.parseInt(position, 36), passed: Number.parseInt(passed, 36) }
  // Written again it must be the same to the letter, its sum included.
  const valid = of === epoch && Number.isSafeInteger(cursor.position) && Number.isSafeInteger(cursor.passed)
  if (!valid || writeCursor(epoch, cursor) !== written) throw problem('staleCursor')
  return cursor
}

const sumOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 8)
