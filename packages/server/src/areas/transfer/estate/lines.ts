import { Problem, problem, rule } from '@mainline/contract'
import { parseBody } from '../../../platform/http/body.ts'
import { bodyCheckOf } from '../../../platform/http/check.ts'
import { type AnyRecord, schemas, version } from './records.ts'

/** A line of the file, as what it says or as what is wrong with it. */
export type Line =
  | { readonly number: number; readonly record: AnyRecord; readonly wrong?: undefined }
  | { readonly number: number; readonly wrong: Problem }

const checks = new Map(Object.entries(schemas).map(([kind, schema]) => [kind, bodyCheckOf(schema)]))

/** The lines of a file of JSON, from a given one on; blank ones are left out. */
export function* readLines(bytes: Uint8Array, from: number): Generator<Line> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let number = 0
  for (let at = 0; at < file.length; ) {
    const newline = file.indexOf(10, at)
    const end = newline < 0 ? file.length : newline
    number++
    const line = file.subarray(at, end)
    at = end + 1
    if (number >= from && line.some((byte) => byte > 32)) yield readLine(number, line)
  }
}

function readLine(number: number, bytes: Buffer): Line {
  try {
    const value = parseBody(bytes)
    const kind = String((value as { is?: unknown } | null)?.is)
    const check = checks.get(kind)
    if (!check) throw problem('badRow', { why: rule('estateKind', { value: kind.slice(0, 64) }) })
    const wrong = check(value)
    if (wrong) throw wrong
    const record = value as AnyRecord
    if (record.is === 'estate' && record.version !== version) {
      throw problem('badRow', { why: rule('estateVersion', { known: version }) })
    }
    return { number, record }
  } catch (error) {
    if (error instanceof Problem) return { number, wrong: error }
    throw error
  }
}
