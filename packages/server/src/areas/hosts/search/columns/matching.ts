// Searches answered by columns: a test is applied to each distinct value, and the codes of all hosts become a bitmap.
import { inTurns } from '../../../../common/concurrency/turns.ts'
import { readOwnJson } from '../../../../common/own-json.ts'
import { present } from '../../../../common/present.ts'
import type { Span } from '../../../../common/time.ts'
import {
  type Condition,
  type Field,
  type Fields,
  isStoredAsText,
  type Leaf,
  leavesIn,
  type Test,
} from '../../../../condition/condition.ts'
import { passes, typed } from '../../../../condition/evaluate.ts'
import { literally, literalOf, longestLiteral } from '../../../../condition/literal.ts'
import { sift } from '../../../../condition/sift.ts'
import { hostFields } from '../../fields.ts'
import { IdSet, wordsPerChunk } from '../matches/id-set.ts'
import type { ResolvedSearch } from '../statements.ts'
import type { Bits, Column } from './column.ts'
import type { Value, ValueTest } from './dictionary.ts'

// Names of columns: of a table, as SQL names them, or of an attribute.
export const hostPrefix = 'host.'
export const placementPrefix = 'placement.'
export const attributePrefix = 'attribute.'

/** Every host has a business, so this column also says which hosts exist. */
const business = 'host.business'

/** Host ids are no values but places in the columns, and the account is the same for all. */
const withoutColumn = ['host_id', 'account']

/** Each is tested on the event loop, on each distinct value: more of them are left to SQL or to the threads that match patterns. */
const maxTests = 20

/** The columns by which a search is answered; undefined if one of its filters has none, or takes too long. */
export function columnsFor({ where, host, condition }: ResolvedSearch): string[] | undefined {
  if (where.associated.length > 0) return undefined
  const leaves = leavesIn(condition)
  if (leaves.length > maxTests || leaves.some(({ test }) => isLong(test))) return undefined
  const fields = hostFields(host)
  const names = leaves.map(({ field }) => columnOf(field, fields))
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

/** Long texts are not searched for on the event loop: the time grows with their length. */
const isLong = (test: Test) => test.is === 'containing' && test.part.length > longestLiteral

function columnOf(name: string, fields: Fields): string | undefined {
  const at = fields.get(name)?.at
  if (!at || ('column' in at && withoutColumn.includes(at.column))) return undefined
  return 'column' in at ? hostPrefix + at.column : attributePrefix + at.attribute
}

/** The ids of all hosts that match; the columns must be those of `columnsFor`. */
export async function matchesIn(columns: ReadonlyMap<string, Column>, asked: ResolvedSearch): Promise<IdSet> {
  const { host, condition } = asked
  const column = (name: string) => present(columns.get(name))
  const fields = hostFields(host)
  const columnOfLeaf = ({ field }: Leaf) => column(present(columnOf(field, fields)))
  const everyone = column(business).everyone()
  const scope = await scopeOf(column, asked)
  /** The tests whose hosts are known; others still leave every host in. */
  const known = new Map<Leaf, Bits>()
  const matching = () => combined([everyone, ...scope, bitsOf(condition, everyone, known)], (a, b) => a & b)
  const tests = leavesIn(condition).map((leaf) => ({ leaf, test: valueTest(leaf.test, fields.get(leaf.field)) }))
  for (const { leaf, test } of tests) if (test) known.set(leaf, await columnOfLeaf(leaf).passing(test))
  for (const { leaf, test } of tests) {
    if (test) continue
    // As for rows, the budget of the caller pays only for values of hosts that pass everything else.
    const view = (value: Value) => ({ builtIn: 0, value: () => value })
    const choose = (values: readonly Value[]) => sift(values, { condition: leaf, fields, view })
    known.set(leaf, await columnOfLeaf(leaf).chosen(matching(), choose))
  }
  const bits = matching()
  const bitmaps: [number, Uint32Array][] = []
  await inTurns(column(business).chunks, (chunk) => void bitmaps.push([chunk, bits(chunk)]))
  return IdSet.ofBitmaps(bitmaps)
}

/** The hosts of the business, businesses, cloud areas, modules or sets that are searched. */
function scopeOf(column: (name: string) => Column, { search, where }: ResolvedSearch): Promise<Bits[]> {
  const among = (name: string, ids: readonly number[]) => {
    const wanted = new Set<Value>(ids)
    return column(name).passing({ passes: (value) => wanted.has(value) })
  }
  const { businesses, areas, placement } = where
  return Promise.all([
    ...(search.business === undefined ? [] : [among(business, [search.business])]),
    ...(businesses ? [among(business, businesses)] : []),
    ...(areas ? [among('host.cloud', areas)] : []),
    ...(placement ? [column(placementPrefix + placement.column).passing(placedIn(placement.nodes))] : []),
  ])
}

/** The value of a placement is the JSON of [[id], ...]. */
function placedIn(nodes: readonly number[]): ValueTest {
  const wanted = new Set(nodes)
  return {
    passes: (value) => typeof value === 'string' && readOwnJson<[number][]>(value).some(([id]) => wanted.has(id)),
  }
}

/** Undefined for patterns that are matched by RE2, in threads. */
function valueTest(test: Test, field: Field | undefined): ValueTest | undefined {
  const literal = test.is === 'matching' ? literalOf(test.pattern) : undefined
  if (test.is === 'matching' && !literal) return undefined
  const isPassed = literal ? (value: unknown) => typeof value === 'string' && literal.test(value) : testerOf(test)
  const each = { passes: (value: Value) => isPassed(typed(value, field)) }
  if (!field || !isStoredAsText(field.type)) return each
  if (literal) return { ...each, containing: new RegExp(literal, `${literal.flags}g`) }
  if (test.is === 'containing' && test.part !== '')
    return { ...each, containing: new RegExp(literally(test.part), 'g') }
  return test.is === 'among' ? { ...each, equal: test.values.filter((value) => typeof value === 'string') } : each
}

/** As `passes`, with long lists as sets: a test is applied to every distinct value. */
function testerOf(test: Test): (value: unknown) => boolean {
  if (test.is === 'among') {
    const wanted = new Set<unknown>(test.values)
    return (value) => wanted.has(value)
  }
  if (test.is === 'listing') {
    const names = new Set(test.names)
    return (value) => typeof value === 'string' && value.split(',').some((name) => names.has(name))
  }
  if (test.is === 'within') return withinAny(test.spans)
  return (value) => passes(value, test)
}

/** Whether a number is in one of the spans, by binary search. */
function withinAny(spans: readonly Span[]): (value: unknown) => boolean {
  const sorted = spans.toSorted((a, b) => a.from - b.from)
  /** The latest end of the spans up to each. */
  const ends: number[] = []
  for (const { to } of sorted) ends.push(Math.max(to, ends.at(-1) ?? to))
  return (value) => {
    if (typeof value !== 'number') return false
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (present(sorted[middle]).from <= value) low = middle + 1
      else high = middle
    }
    return low > 0 && value <= present(ends[low - 1])
  }
}

/** A test that is not known yet leaves every host in, and so does a negation of one. */
function bitsOf(condition: Condition, everyone: Bits, known: ReadonlyMap<Leaf, Bits>): Bits {
  if ('all' in condition) {
    const parts = condition.all.map((part) => bitsOf(part, everyone, known))
    return parts.length === 0 ? everyone : combined(parts, (one, other) => one & other)
  }
  if ('any' in condition) {
    const parts = condition.any.map((part) => bitsOf(part, everyone, known))
    return combined(parts, (one, other) => one | other)
  }
  if ('not' in condition) {
    if (!leavesIn(condition.not).every((leaf) => known.has(leaf))) return everyone
    const part = bitsOf(condition.not, everyone, known)
    return combined([everyone, part], (one, other) => one & ~other)
  }
  return known.get(condition) ?? everyone
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
