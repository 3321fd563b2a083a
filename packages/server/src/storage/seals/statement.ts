import type { Selectable } from 'kysely'
import type { Tables } from '../tables.ts'

export type Seal = Selectable<Tables['seal']>

const numbers = [
  'segment',
  'first_position',
  'last_position',
  'last_time',
  'sealed_at',
  'floor',
  'retention_days',
  'signed_since',
] as const
const hashes = ['previous', 'hash', 'root'] as const
const texts = [...hashes, 'key_id', 'signature'] as const

/**
 * The signed text: every column except key and signature, one per line, so that it can be rebuilt in any language without a
 * serialisation format. The order is part of the public format: see docs/concepts/seals.md.
 */
export const statementOf = (seal: Omit<Seal, 'key_id' | 'signature'>): string =>
  [
    'mainline seal 1',
    seal.segment,
    seal.first_position,
    seal.last_position,
    seal.last_time,
    seal.sealed_at,
    seal.previous,
    seal.hash,
    seal.root,
    seal.floor,
    seal.retention_days,
    seal.signed_since,
  ].join('\n')

/** A seal as sent to a witness: one line of JSON, without the line break. */
export const lineOf = (seal: Seal): string =>
  JSON.stringify(Object.fromEntries([...numbers, ...texts].map((name) => [name, seal[name]])))

/** Whether a value read from outside is a seal. */
export function isSeal(value: unknown): value is Seal {
  if (typeof value !== 'object' || value === null) return false
  const fields = new Map(Object.entries(value))
  return (
    numbers.every((name) => Number.isSafeInteger(fields.get(name))) &&
    texts.every((name) => typeof fields.get(name) === 'string') &&
    hashes.every((name) => /^([0-9a-f]{64})?$/.test(fields.get(name)))
  )
}

export const isSigned = ({ signature }: Pick<Seal, 'signature'>) => signature !== ''
