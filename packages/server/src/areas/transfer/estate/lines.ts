import { Problem, problem, rule } from '@mainline/contract'
import { parseBody } from '../../../http/bodies/body.ts'
import { bodyCheckOf } from '../../../http/operation/check.ts'
import { type AnyRecord, schemas, version } from './records.ts'

/** A line of the file: its record, or its error. */
export type Line =
  | { readonly number: number; readonly record: AnyRecord; readonly wrong?: undefined }
  | { readonly number: number; readonly wrong: Problem }

const checks = new Map(Object.entries(schemas).map(([kind, schema]) => [kind, bodyCheckOf(schema)]))

/** A file of JSON lines, and the line to start from. */
export interface EstateFile {
  readonly bytes: Uint8Array
  readonly from: number
}

export function* readLines(file: EstateFile): Generator<Line> {
  for (const { number, line } of linesIn(file)) yield readLine(number, line)
}

export const countLines = (file: EstateFile): number => linesIn(file).reduce((count) => count + 1, 0)

/** Skips blank lines. */
function* linesIn({ bytes, from }: EstateFile): Generator<{ number: number; line: Buffer }> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let number = 0
  for (let at = 0; at < file.length; ) {
    const newline = file.indexOf(10, at)
    const end = newline < 0 ? file.length : newline
    number++
    const line = file.subarray(at, end)
    at = end + 1
    if (number >= from && line.some((byte) => byte > 32)) yield { number, line }
  }
}

function readLine(number: number, bytes: Buffer): Line {
  try {
    const value = parseBody(bytes)
    const is = (value as { is?: unknown } | null)?.is
    const kind = typeof is === 'string' ? is : JSON.stringify(is ?? null)
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
