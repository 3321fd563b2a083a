import { createHash } from 'node:crypto'
import { problem } from '@mainline/contract'
import type { HistoryMark } from '../../../../storage/index.ts'

/**
 * The progress of a client: all records up to and including this one have been seen; or, with `passed`, only so many of this record's
 * events.
 */
export interface Cursor extends HistoryMark {
  readonly passed: number | undefined
}

/** The cursor after a whole record. */
export const after = ({ position, id }: HistoryMark): Cursor => ({ position, id, passed: undefined })

/** Reading after this position yields all records that are not, or only partly, seen. */
export const readAfter = ({ position, passed }: Cursor): number => (passed === undefined ? position : position - 1)

/** In the order of the log; a whole record comes after its parts. */
export function compareCursors(one: Cursor, other: Cursor): number {
  const parts = ({ passed }: Cursor) => passed ?? Number.MAX_SAFE_INTEGER
  return one.position - other.position || parts(one) - parts(other)
}

/** Opaque to clients and valid in every process while its record is kept. It contains the record's id, not only its position. */
export function writeCursor({ position, id, passed }: Cursor): string {
  const text = [position.toString(36), id, passed?.toString(36) ?? ''].join('/')
  return Buffer.from(`${text}/${sumOf(text)}`).toString('base64url')
}

/** Refuses an invalid cursor. Whether its record exists is checked by the caller. */
export function readCursor(written: string): Cursor {
  const [position = '', id = '', passed = ''] = Buffer.from(written, 'base64url').toString().split('/')
  const cursor: Cursor = {
    position: Number.parseInt(position, 36),
    id,
    passed: passed === '' ? undefined : Number.parseInt(passed, 36),
  }
  // Round trip: writing it again must give the same text, including the checksum.
  const isValid = Number.isSafeInteger(cursor.position) && Number.isSafeInteger(cursor.passed ?? 0)
  if (!isValid || writeCursor(cursor) !== written) throw problem('staleCursor')
  return cursor
}

const sumOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 8)
