// The values of instances under unique rules: a digest for each rule and instance, which a constraint keeps apart.

import { createHash } from 'node:crypto'
import { problem } from '@mainline/contract'
import { insertMany, type Reader, refuse, type Tx } from '../../../storage/index.ts'
import type { Attributes } from '../check.ts'
import type { ObjectModel, UniqueRule } from '../model.ts'
import type { Valued } from '../searchable/searchable.ts'

/** An instance that is checked before it is written; a new one has no row yet. */
export interface Candidate {
  readonly instance?: number
  readonly attributes: Attributes
}

interface Claim {
  readonly key: number
  readonly value: string
  readonly instance: number
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

/** Undefined where the rule says nothing about the instance. A digest, because values may be too long for an index. */
function digestOf(rule: UniqueRule, attributes: Attributes): string | undefined {
  const values = rule.attributes.map((id) => (isEmpty(attributes[id]) ? '' : attributes[id]))
  if (!rule.mustCheck && values.includes('')) return undefined
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url')
}

const claimKey = ({ key, value }: Pick<Claim, 'key' | 'value'>) => `${key} ${value}`
const describeRules = (rules: readonly UniqueRule[]) => rules.map((rule) => rule.attributes.join(' + ')).join(', ')
export const uniqueTaken = (...rules: readonly UniqueRule[]) => problem('duplicate', { what: describeRules(rules) })

/** In one order, so that two changes do not wait for each other's values in turns. */
const claimsOf = (rules: readonly UniqueRule[], instances: readonly Valued[]): Claim[] =>
  instances
    .flatMap(({ instance, attributes }) =>
      rules.flatMap((rule) => {
        const value = digestOf(rule, attributes)
        return value === undefined ? [] : [{ key: rule.key, value, instance }]
      }),
    )
    .toSorted((one, other) => one.key - other.key || (one.value < other.value ? -1 : 1))

/** The instances that have these values, by key and value. */
async function holdersOf(reader: Reader, claims: readonly Omit<Claim, 'instance'>[]): Promise<Map<string, number>> {
  if (claims.length === 0) return new Map()
  const [keys, values] = [[...new Set(claims.map(({ key }) => key))], claims.map(({ value }) => value)]
  const rows = await reader
    .selectFrom('unique_value')
    .selectAll()
    .where((eb) => reader.dialect.among(eb.ref('key'), keys, 'integer'))
    .where((eb) => reader.dialect.among(eb.ref('value'), values, 'text'))
    .execute()
  return new Map(rows.map((row) => [claimKey(row), row.instance]))
}

interface TakenValues {
  readonly rule: UniqueRule
  /** The instance that has them; undefined for another candidate. */
  readonly holder: number | undefined
}

/**
 * For each candidate the rule by which another instance, or a candidate before it, has the same values. Candidates may exchange
 * values, and `leaving` instances give theirs up. Called before anything is written, so that a refused row leaves nothing behind.
 */
export async function takenValues(
  reader: Reader,
  { uniques }: Pick<ObjectModel, 'uniques'>,
  candidates: readonly Candidate[],
  leaving: readonly number[] = [],
): Promise<(TakenValues | undefined)[]> {
  if (uniques.length === 0) return candidates.map(() => undefined)
  const wanted = candidates.map(({ attributes }) =>
    uniques.flatMap((rule) => {
      const value = digestOf(rule, attributes)
      return value === undefined ? [] : [{ rule, key: rule.key, value }]
    }),
  )
  const holders = await holdersOf(reader, wanted.flat())
  const changing = new Set([...candidates.map(({ instance }) => instance), ...leaving])
  const seen = new Set<string>()
  return wanted.map((claims) => {
    const taken = claims.find((claim) => {
      const holder = holders.get(claimKey(claim))
      return seen.has(claimKey(claim)) || (holder !== undefined && !changing.has(holder))
    })
    if (!taken) for (const claim of claims) seen.add(claimKey(claim))
    return taken && { rule: taken.rule, holder: seen.has(claimKey(taken)) ? undefined : holders.get(claimKey(taken)) }
  })
}

export async function takenRules(
  reader: Reader,
  object: Pick<ObjectModel, 'uniques'>,
  candidates: readonly Candidate[],
): Promise<(UniqueRule | undefined)[]> {
  return (await takenValues(reader, object, candidates)).map((taken) => taken?.rule)
}

export async function refuseTaken(tx: Tx, object: ObjectModel, candidates: readonly Candidate[]): Promise<void> {
  const taken = (await takenRules(tx, object, candidates)).find((rule) => rule !== undefined)
  if (taken) throw uniqueTaken(taken)
}

/** Another change may have taken a value since it was checked: the constraint then refuses this change as a whole. */
export function keepUniques(tx: Tx, rules: readonly UniqueRule[], instances: readonly Valued[]): void {
  const claims = claimsOf(rules, instances)
  if (claims.length === 0) return
  tx.later(refuse(insertMany(tx, 'unique_value', claims), { unique_value_key: () => uniqueTaken(...rules) }))
}

/** With `before`, only under the rules by which an instance has other values now. */
export async function replaceUniques(
  tx: Tx,
  { uniques }: ObjectModel,
  instances: readonly (Valued & { readonly before?: Attributes })[],
): Promise<void> {
  const changed = uniques.filter((rule) =>
    instances.some(({ before, attributes }) => !before || digestOf(rule, before) !== digestOf(rule, attributes)),
  )
  const ids = instances.map(({ instance }) => instance)
  await dropUniques(tx, changed, ids)
  keepUniques(tx, changed, instances)
}

/** Selected by key as well: instances of different objects may share a number. */
export async function dropUniques(tx: Tx, rules: readonly UniqueRule[], instances: readonly number[]): Promise<void> {
  if (rules.length === 0 || instances.length === 0) return
  const keys = rules.map(({ key }) => key)
  await tx
    .deleteFrom('unique_value')
    .where((eb) => tx.dialect.among(eb.ref('instance'), instances, 'integer'))
    .where((eb) => tx.dialect.among(eb.ref('key'), keys, 'integer'))
    .execute()
}

/**
 * Keeps the values of existing instances, which this change has locked; returns those of which another one has the same. What a
 * concurrent change is about to insert is waited for.
 */
export async function keepExisting<Each extends Valued>(
  tx: Tx,
  rule: UniqueRule,
  instances: readonly Each[],
): Promise<{ readonly duplicate: Each; readonly of: number }[]> {
  const claims = claimsOf([rule], instances)
  await insertMany(tx, 'unique_value', claims, { unlessThere: true })
  const holders = await holdersOf(tx, claims)
  const own = new Map(instances.map((each) => [each.instance, each]))
  return claims.flatMap((claim) => {
    const [holder, duplicate] = [holders.get(claimKey(claim)), own.get(claim.instance)]
    return duplicate && holder !== undefined && holder !== claim.instance ? [{ duplicate, of: holder }] : []
  })
}
