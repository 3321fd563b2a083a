// Searches answered by columns: a test is applied to each distinct value, and the codes of all hosts become a bitmap.
import { inTurns } from '../../../../common/concurrency/turns.ts'
import { readOwnJson } from '../../../../common/own-json.ts'
import { present } from '../../../../common/present.ts'
import { type Condition, type Fields, fieldsIn, type Leaf, patternsIn } from '../../../../condition/condition.ts'
import { passes, typed } from '../../../../condition/evaluate.ts'
import { literalOf } from '../../../../condition/literal.ts'
import { sift } from '../../../../condition/sift.ts'
import { hostFields } from '../../fields.ts'
import { IdSet, wordsPerChunk } from '../matches/id-set.ts'
import type { ResolvedSearch } from '../statements.ts'
import type { Column, Value } from './column.ts'

// Names of columns: of a table, as SQL names them, or of an attribute.
export const hostPrefix = 'host.'
export const placementPrefix = 'placement.'
export const attributePrefix = 'attribute.'

/** Every host has a business, so this column also says which hosts exist. */
const business = 'host.business'

/** Host ids are no values but places in the columns, and the account is the same for all. */
const withoutColumn = ['host_id', 'account']

/** The columns by which a search is answered; undefined if one of its filters has none. */
export function columnsFor({ where, host, condition }: ResolvedSearch): string[] | undefined {
  if (where.associated.length > 0) return undefined
  const fields = hostFields(host)
  const names = fieldsIn(condition).map((name) => columnOf(name, fields))
  if (names.includes(undefined)) return undefined
  return [
    ...new Set([
      business,
      ...(where.areas ? ['host.cloud'] : []),
      ...(where.placement ? [placementPrefix + where.placement.column] : []),
      ...(names as string[]),
    ]),
  ]
}

function columnOf(name: string, fields: Fields): string | undefined {
  const at = fields.get(name)?.at
  if (!at || ('column' in at && withoutColumn.includes(at.column))) return undefined
  return 'column' in at ? hostPrefix + at.column : attributePrefix + at.attribute
}

/** The bitmap of a chunk. */
type Bits = (chunk: number) => Uint32Array

/** The ids of all hosts that match; the columns must be those of `columnsFor`. */
export async function matchesIn(columns: ReadonlyMap<string, Column>, asked: ResolvedSearch): Promise<IdSet> {
  const { search, where, host, condition } = asked
  const column = (name: string) => present(columns.get(name))
  const among = (name: string, ids: readonly number[]) => {
    const wanted = new Set<Value>(ids)
    return column(name).passing((value) => wanted.has(value))
  }
  const fields = hostFields(host)
  const existing = column(business)
  const everyone = existing.passing(() => true)
  const leafColumn = ({ field }: Leaf) => column(present(columnOf(field, fields)))
  const matched = await matchedValues(condition, fields, leafColumn)
  const leaf = (leaf: Leaf) => {
    const of = fields.get(leaf.field)
    const found = matched.get(leaf)
    if (found) return leafColumn(leaf).passing((value) => found.has(value))
    const isPassed = testerOf(leaf.test)
    return leafColumn(leaf).passing((value) => isPassed(typed(value, of)))
  }
  const parts: Bits[] = [
    search.business === undefined ? everyone : among(business, [search.business]),
    ...(where.businesses ? [among(business, where.businesses)] : []),
    ...(where.areas ? [among('host.cloud', where.areas)] : []),
    ...(where.placement ? [placedIn(column(placementPrefix + where.placement.column), where.placement.nodes)] : []),
    bitsOf(condition, everyone, leaf),
  ]
  const bits = combined(parts, (one, other) => one & other)
  const bitmaps: [number, Uint32Array][] = []
  await inTurns(existing.chunks, (chunk) => void bitmaps.push([chunk, bits(chunk)]))
  return IdSet.ofBitmaps(bitmaps)
}

/** The distinct values that each pattern matches, within the budget of the request; literals need none. */
async function matchedValues(
  condition: Condition,
  fields: Fields,
  columnOf: (leaf: Leaf) => Column,
): Promise<ReadonlyMap<Leaf, ReadonlySet<Value>>> {
  const found = new Map<Leaf, ReadonlySet<Value>>()
  for (const leaf of patternsIn(condition)) {
    if (literalOf(leaf.test.pattern)) continue
    const view = (value: Value) => ({ builtIn: 0, value: () => value })
    found.set(leaf, new Set(await sift(columnOf(leaf).values, { condition: leaf, fields, view })))
  }
  return found
}

/** As `passes`, with long lists as sets and patterns of mere text as such: a test is applied to every distinct value. */
function testerOf(test: Leaf['test']): (value: unknown) => boolean {
  if (test.is === 'among') {
    const wanted = new Set<unknown>(test.values)
    return (value) => wanted.has(value)
  }
  if (test.is === 'listing') {
    const names = new Set(test.names)
    return (value) => typeof value === 'string' && value.split(',').some((name) => names.has(name))
  }
  if (test.is === 'matching') {
    const literal = literalOf(test.pattern)
    if (literal) return (value) => typeof value === 'string' && literal.test(value)
  }
  return (value) => passes(value, test)
}

/** The value of a placement is the JSON of [[id], ...]. */
function placedIn(column: Column, nodes: readonly number[]): Bits {
  const wanted = new Set(nodes)
  return column.passing(
    (value) => typeof value === 'string' && readOwnJson<[number][]>(value).some(([id]) => wanted.has(id)),
  )
}

function bitsOf(condition: Condition, everyone: Bits, leaf: (leaf: Leaf) => Bits): Bits {
  if ('all' in condition) {
    const parts = condition.all.map((part) => bitsOf(part, everyone, leaf))
    return combined([everyone, ...parts], (one, other) => one & other)
  }
  if ('any' in condition) {
    const parts = condition.any.map((part) => bitsOf(part, everyone, leaf))
    return combined(parts, (one, other) => one | other)
  }
  if ('not' in condition) {
    const part = bitsOf(condition.not, everyone, leaf)
    return combined([everyone, part], (one, other) => one & ~other)
  }
  return leaf(condition)
}

function combined(parts: readonly Bits[], combine: (one: number, other: number) => number): Bits {
  const [head, ...others] = parts
  if (!head) return () => new Uint32Array(wordsPerChunk)
  return (chunk) => {
    const words = head(chunk)
    for (const other of others) {
      const more = other(chunk)
      for (let index = 0; index < wordsPerChunk; index++)
        words[index] = combine(words[index] as number, more[index] as number)
    }
    return words
  }
}
