// Files that a hostile or careless caller might send: exports, of which parts were selected, changed and damaged.
import { buffer } from 'node:stream/consumers'
import type { Endpoint } from '@mainline/contract'
import fc from 'fast-check'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { line, writeSheet } from '../../packages/server/src/sheets/index.ts'
import { isPlain, rebuilt, type Spoiling, spoiling, spoilt } from './spoiling.ts'
import { text } from './values.ts'

/** The header, and the rows below it. */
type Table = readonly (readonly string[])[]

/** The material to draw from: exports of the business that requests are about, and lines of the estate. */
export interface Exported {
  readonly hosts: Table
  readonly topology: Table
  readonly estate: readonly unknown[]
}

interface Row {
  /** Which exported row it is, and whether to rename it so that it means a new record. */
  readonly of: number
  readonly fresh: boolean
  /** The changes of a JSON line. */
  readonly spoiling: Spoiling | null
}

export interface FilePlan {
  readonly rows: readonly Row[]
  /** The columns besides the identifying one. */
  readonly columns: readonly number[]
  readonly cells: readonly { readonly row: number; readonly column: number; readonly text: string }[]
  readonly form: 'csv' | 'semicolons' | 'unquoted' | 'utf-16' | 'xlsx'
  readonly damage: {
    readonly how: 'cut' | 'flip' | 'noise' | 'inside'
    readonly at: number
    readonly text: string
  } | null
}

const cell = fc.oneof(
  text,
  fc.constantFrom(
    'true',
    '0',
    '2',
    '-5',
    '1.5',
    '46053.5',
    '2026-01-31',
    '2026-01-31 08:00:00',
    'UTC',
    'amy,ben',
    '# x',
  ),
  fc.constantFrom(
    'idle pool/idle machine',
    '空闲机池/故障机',
    'a\\/b/c',
    '/',
    'a//b',
    'a|b',
    '|',
    '\\',
    'x/'.repeat(30),
  ),
  fc.constantFrom(
    '"',
    '""',
    'a"b',
    'a\nb',
    '\r',
    "'=1",
    '=1+1',
    '10.96.1.1',
    '10.96.1.1,10.96.1.2',
    '::1',
    'x'.repeat(3_000),
  ),
)

/** Most of them valid enough for their rows to be processed. */
export const filePlan: fc.Arbitrary<FilePlan> = fc.record({
  rows: fc.array(fc.record({ of: fc.nat(200), fresh: fc.boolean(), spoiling: fc.option(spoiling, { freq: 2 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
  columns: fc.array(fc.nat(100), { maxLength: 5 }),
  cells: fc.array(fc.record({ row: fc.nat(6), column: fc.nat(6), text: cell }), { maxLength: 4 }),
  form: fc.constantFrom('csv', 'csv', 'csv', 'semicolons', 'unquoted', 'utf-16', 'xlsx', 'xlsx'),
  damage: fc.oneof(
    { weight: 7, arbitrary: fc.constant(null) },
    fc.record({ how: fc.constantFrom('cut', 'flip', 'noise', 'inside'), at: fc.nat(5_000), text }),
  ),
})

/** The file sent to an operation. The number is unique per file. */
export async function fileOf({ name }: Endpoint, plan: FilePlan, exported: Exported, nth: number): Promise<Uint8Array> {
  const whole =
    name === 'import_estate'
      ? Buffer.from(linesOf(plan, exported.estate, nth))
      : await written(
          plan,
          name === 'import_hosts' ? hostRows(plan, exported.hosts, nth) : treeRows(plan, exported.topology, nth),
        )
  return damaged(whole, plan)
}

function hostRows(plan: FilePlan, table: Table, nth: number): string[][] {
  const address = (index: number) => `10.97.${(nth >> 5) & 255}.${((nth & 31) << 3) + index}`
  return chosen(plan, table, 'bk_host_innerip', (_, index) => address(index))
}

function treeRows(plan: FilePlan, table: Table, nth: number): string[][] {
  return chosen(plan, table, 'topo_path', (path, index) =>
    index % 2 === 0 ? path.replace(/[^/]*$/, `fuzzed ${nth} ${index}`) : `${path}/fuzzed ${nth}`,
  )
}

/** Some rows and some columns of a table, with some of their cells changed. */
function chosen(
  plan: FilePlan,
  table: Table,
  key: string,
  freshen: (key: string, index: number) => string,
): string[][] {
  const [header = [key], ...body] = table
  const at = Math.max(0, header.indexOf(key))
  const columns = [...new Set([at, ...plan.columns.map((each) => each % header.length)])]
  const rows = plan.rows.map(({ of, fresh }, index) => {
    const row = [...(body[of % Math.max(1, body.length)] ?? header.map(() => ''))]
    if (fresh || body.length === 0) row[at] = freshen(row[at] ?? '', index)
    return columns.map((column) => row[column] ?? '')
  })
  const all = [columns.map((column) => header[column] ?? ''), ...rows]
  for (const { row, column, text } of plan.cells) {
    const target = all[row % all.length] as string[]
    // An unknown header is refused before any row, so most files keep theirs.
    if (target !== all[0] || text.length % 5 === 0) target[column % columns.length] = text
  }
  return all
}

async function written({ form }: FilePlan, rows: readonly (readonly string[])[]): Promise<Uint8Array> {
  switch (form) {
    case 'xlsx':
      return buffer(writeSheet('xlsx', [{ name: 'x', rows: [rows.map((row) => row.map(cellOf))] }]))
    case 'semicolons':
      return Buffer.from(rows.map((row) => `${row.join(';')}\r\n`).join(''))
    case 'unquoted':
      return Buffer.from(rows.map((row) => `${row.join(',')}\n`).join(''))
    case 'utf-16':
      return Buffer.from(`\ufeff${rows.map(line).join('')}`, 'utf16le')
    default:
      return Buffer.from(rows.map(line).join(''))
  }
}

/** A workbook stores numbers as numbers. */
const cellOf = (text: string): string | number => (/^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text)

function linesOf({ rows }: FilePlan, estate: readonly unknown[], nth: number): string {
  const lines = rows.map(({ of, fresh, spoiling }, index) => {
    const record = estate[of % Math.max(1, estate.length)]
    const meant = fresh ? renamed(record, nth * 8 + index) : record
    return JSON.stringify(spoiling ? spoilt(meant, spoiling) : meant) ?? ''
  })
  return lines.map((each) => `${each}\n`).join('')
}

/** The same under another name: ids of the model contain letters only. */
function renamed(record: unknown, nth: number): unknown {
  if (!isPlain(record)) return record
  const letters = [...nth.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('')
  return rebuilt(record, (value, key) => {
    if (key === 'id') return `z${letters}`
    if (key === 'name' && typeof value === 'string') return `fuzzed ${nth}`
    if (key === 'path' && Array.isArray(value)) return value.with(-1, `fuzzed ${nth}`)
    if (key !== 'attributes' || record.is !== 'host' || !isPlain(value)) return value
    return { ...value, bk_host_innerip: `10.98.${(nth >> 8) & 255}.${nth & 255}` }
  })
}

function damaged(file: Uint8Array, { damage, form }: FilePlan): Uint8Array {
  if (!damage || file.length === 0) return file
  const at = damage.at % file.length
  switch (damage.how) {
    case 'cut':
      return file.subarray(0, at)
    case 'flip':
      return file.map((byte, index) => (index === at ? byte ^ 0xff : byte))
    case 'noise':
      return file.map((byte, index) => (index < 4 ? byte : (byte * 31 + index * damage.at) & 255))
    case 'inside':
      return form === 'xlsx' && file[0] === 0x50 ? rezipped(file, damage) : insertedAt(file, at, strToU8(damage.text))
  }
}

const insertedAt = (file: Uint8Array, at: number, more: Uint8Array) =>
  Buffer.concat([file.subarray(0, at), more, file.subarray(at)])

/** A valid workbook with one damaged part. */
function rezipped(file: Uint8Array, { at, text }: { readonly at: number; readonly text: string }): Uint8Array {
  const parts = unzipSync(file)
  const names = Object.keys(parts)
  const name = names[at % names.length] as string
  const part = strFromU8(parts[name] as Uint8Array)
  const place = at % (part.length + 1)
  return zipSync({ ...parts, [name]: strToU8(part.slice(0, place) + text + part.slice(place + (at % 7))) })
}
