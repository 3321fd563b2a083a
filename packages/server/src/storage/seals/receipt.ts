import type { Reader } from '../handles.ts'
import { recordsBetween, textOf } from '../log/seals.ts'
import { type PublicKeys, signatureOf } from './keys.ts'
import { leafHash, merklePath, rootFromPath } from './merkle.ts'
import { isSeal, type Seal } from './statement.ts'

/** Proof that a record is in a sealed segment, verifiable without the database. See docs/concepts/seals.md. */
export interface Receipt {
  readonly position: number
  readonly record: string
  readonly path: string[]
  readonly seal: Seal
}

/** undefined while the record is not sealed yet. */
export async function receiptFor(reader: Reader, position: number): Promise<Receipt | undefined> {
  const seal = await reader
    .selectFrom('seal')
    .selectAll()
    .where('last_position', '>=', position)
    .orderBy('last_position')
    .limit(1)
    .executeTakeFirst()
  if (!seal) return undefined
  const leaves: Buffer[] = []
  let proven: { readonly index: number; readonly record: string } | undefined
  for await (const record of recordsBetween(reader, seal.first_position, seal.last_position)) {
    const text = textOf(record)
    if (record.position === position) proven = { index: leaves.length, record: text }
    leaves.push(leafHash(text))
  }
  // Removed by retention since the caller looked it up.
  if (!proven) return undefined
  const path = merklePath(leaves, proven.index).map((hash) => hash.toString('hex'))
  return { position, record: proven.record, path, seal }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Reads a receipt from a file's value, with or without the API's envelope. */
export function asReceipt(value: unknown): Receipt | undefined {
  if (!isObject(value)) return undefined
  const { position, record, path, seal } = value
  if (position === undefined && isObject(value.data)) return asReceipt(value.data)
  const isPath = (given: unknown): given is string[] =>
    Array.isArray(given) && given.every((each) => typeof each === 'string' && /^[0-9a-f]{64}$/.test(each))
  if (typeof position !== 'number' || typeof record !== 'string' || !isPath(path) || !isSeal(seal)) return undefined
  return { position, record, path, seal }
}

export type ReceiptFault = 'position' | 'root' | 'signature' | 'unknownKey' | 'unsigned'

/** The fault of a receipt; undefined if it proves its record. Without keys the signature is not verified. */
export function checkReceipt(
  { position, record, path, seal }: Receipt,
  keys: PublicKeys | undefined,
): ReceiptFault | undefined {
  const [index, size] = [position - seal.first_position, seal.last_position - seal.first_position + 1]
  if (positionIn(record) !== position) return 'position'
  const root = rootFromPath(
    leafHash(record),
    { index, size },
    path.map((hash) => Buffer.from(hash, 'hex')),
  )
  if (root?.toString('hex') !== seal.root) return 'root'
  if (!keys) return undefined
  const state = signatureOf(seal, keys)
  return state === 'good' ? undefined : state === 'bad' ? 'signature' : state === 'unknown' ? 'unknownKey' : 'unsigned'
}

/** The position is a record's first value. */
function positionIn(record: string): unknown {
  try {
    const fields: unknown = JSON.parse(record)
    return Array.isArray(fields) ? fields[0] : undefined
  } catch {
    return undefined
  }
}
