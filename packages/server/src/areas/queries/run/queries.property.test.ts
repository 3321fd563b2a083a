import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { preview, runQuery, saveQuery } from '../../../testing/data/queries.ts'
import { fillAll, makeSearchable } from '../../../testing/data/searchable.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import {
  buildEstate,
  type Compared,
  type Drawn,
  defineModel,
  drawn,
  type Estate,
  filterable,
  type Spot,
  type Values,
} from '../../../testing/random/estates.ts'
import { type Filter, type Info, infos } from '../../../testing/random/infos.ts'

// An independent evaluation of queries: records in lists, examined one by one.

const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** To the second; without an offset in UTC, the zone of the service. */
function moment(time: unknown): number {
  const [, local, offset] = /^(.{19})(?:\.\d+)?(.*)$/.exec(String(time).replace(' ', 'T')) ?? []
  return Date.parse(`${local}${(offset || 'Z').replace(/(\d\d)(\d\d)$/, '$1:$2')}`)
}

/** Whether a value matches; unset values are '' for texts and null otherwise. */
function passes(value: unknown, how: Compared, { operator, value: operand }: Filter): boolean {
  const unset = value === null || value === ''
  const equals = (other: unknown): boolean => {
    if (other === null) return unset
    if (how === 'number') return value !== null && value === Number(other)
    if (how === 'flag') return value === (other === true || other === 'true')
    if (how === 'text' || how === 'word' || how === 'day') return value === String(other)
    if (how === 'time') return value !== null && moment(value) === moment(other)
    const [name, shown] = [String(other).trim(), String(value ?? '')]
    return name === '' ? unset : name.includes(',') ? name === shown : shown.split(',').includes(name)
  }
  const list = () =>
    Array.isArray(operand)
      ? operand
      : typeof operand === 'string'
        ? operand.split(',').map((each) => each.trim())
        : [operand]
  const order = () => {
    if (how === 'number') return (value as number) - Number(operand)
    if (how === 'time') return moment(value) - moment(operand)
    return byCodePoint(String(value), String(operand))
  }
  const comparable = value !== null
  switch (operator) {
    case '$eq':
      return equals(operand)
    case '$ne':
    case '$neq':
      return !equals(operand)
    case '$in':
      return list().some(equals)
    case '$nin':
      return !list().some(equals)
    case '$gt':
      return comparable && order() > 0
    case '$gte':
      return comparable && order() >= 0
    case '$lt':
      return comparable && order() < 0
    case '$lte':
      return comparable && order() <= 0
    case '$regex':
      return value !== null && new RegExp(operand as string, 'u').test(String(value))
    default:
      return unset !== operand
  }
}

const otherNames: Record<string, string> = {
  'idle pool': '空闲机池',
  'idle machine': '空闲机',
  'fault machine': '故障机',
}
const negative: Record<string, string> = { $ne: '$eq', $neq: '$eq', $nin: '$in' }

/** A built-in instance has two names: it matches if one of them does, and an exclusion requires that neither does. */
function meets(record: Values, kind: keyof typeof filterable, filter: Filter): boolean {
  const how = filterable[kind][filter.field]
  // A filter does not apply to levels without the attribute.
  if (!how) return false
  const positive = negative[filter.operator]
  if (positive) return !meets(record, kind, { ...filter, operator: positive })
  const value = record[filter.field]
  const names = record.default && filter.field.endsWith('_name') ? [value, otherNames[value as string]] : [value]
  return names.some((each) => passes(each, how, filter))
}

function matches(info: Info, estate: Estate, record: Values, spots: readonly Spot[]): boolean {
  const filtersOf = (kind: string) =>
    info.condition.filter((entry) => entry.bk_obj_id === kind).flatMap((entry) => entry.condition)
  const all = (kind: keyof typeof filterable, values: Values) =>
    filtersOf(kind).every((each) => meets(values, kind, each))
  const under = filtersOf('object')
  const isUnder = ({ levels }: Spot) =>
    Object.entries(levels).some(([level, values]) =>
      under.every((each) => meets(values, level as 'zone' | 'region', each)),
    )
  return (
    all('host', record) &&
    all('biz', estate.business) &&
    spots.some((spot) => all('set', spot.set) && all('module', spot.module) && (under.length === 0 || isUnder(spot)))
  )
}

/** The values of several instances, joined. */
function described(info: Info, kind: string, id: string, records: readonly Values[]): Values {
  const entries = info.condition.filter((entry) => entry.bk_obj_id === kind)
  if (entries.length === 0) return {}
  const distinct = [...new Map(records.map((each) => [each[id], each])).values()]
  distinct.sort((a, b) => (a[id] as number) - (b[id] as number))
  const everything = entries.some((entry) => entry.fields.length === 0)
  const names = everything ? Object.keys(distinct[0] as Values) : [id, ...entries.flatMap((entry) => entry.fields)]
  const shown = (name: string) =>
    distinct.length === 1 ? distinct[0]?.[name] : distinct.map((each) => each[name] ?? '').join(',')
  return Object.fromEntries(names.map((name) => [name, shown(name)]))
}

function evaluate(info: Info, estate: Estate) {
  const found = estate.hosts.filter(({ record, spots }) => matches(info, estate, record, spots))
  const order = info.page.sort.split(',').filter(Boolean)
  found.sort(({ record: a }, { record: b }) => {
    for (const each of order) {
      const field = each.replace('-', '')
      const sign = each.startsWith('-') ? -1 : 1
      const text = !['number', 'flag'].includes(filterable.host[field] as string)
      const rank = (record: Values) => (record[field] === null ? Number.NEGATIVE_INFINITY : Number(record[field]))
      const [left, right] = [rank(a), rank(b)]
      const by = text
        ? byCodePoint(`${a[field] ?? ''}`, `${b[field] ?? ''}`)
        : left === right
          ? 0
          : left < right
            ? -1
            : 1
      if (by !== 0) return sign * by
    }
    return (a.bk_host_id as number) - (b.bk_host_id as number)
  })
  return found.map(({ record, spots }) => ({
    biz: described(info, 'biz', 'bk_biz_id', [estate.business]),
    set: described(
      info,
      'set',
      'bk_set_id',
      spots.map((spot) => spot.set),
    ),
    module: described(
      info,
      'module',
      'bk_module_id',
      spots.map((spot) => spot.module),
    ),
    host: described(info, 'host', 'bk_host_id', [record]),
  }))
}

const seed = 20_260_131

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    await defineModel(server)
  })
  afterAll(() => server.close())

  /** Runs random queries; returns how many matched some of the hosts but not all. */
  async function compare(estate: Estate): Promise<number> {
    let telling = 0
    const business = estate.business.bk_biz_id as number
    const page = { start: fc.nat(3), limit: fc.integer({ min: 1, max: 30 }) }
    await fc.assert(
      fc.asyncProperty(fc.record({ info: infos(estate), ...page, saved: fc.nat(5) }), async (asked) => {
        const { info, start, limit, saved } = asked
        const expected = evaluate(info, estate)
        const text = JSON.stringify(info)
        const answer =
          saved === 0
            ? await runQuery(server, business, await saveQuery(server, business, text), { start, limit })
            : await preview(server, business, text, { start, limit })
        expect([answer.result, answer.bk_error_msg]).toEqual([true, ''])
        expect(answer.data).toEqual({ count: expected.length, info: expected.slice(start, start + limit) })
        if (expected.length > 0 && expected.length < estate.hosts.length) telling++
      }),
      { seed, numRuns: 50 },
    )
    return telling
  }

  it('returns the same hosts, order, count and rows as an examination of every record', async () => {
    const [first, second] = fc.sample(drawn, { numRuns: 2, seed }) as [Drawn, Drawn]
    const estate = await buildEstate(server, first)
    const plainly = await compare(estate)
    await makeSearchable(server, 'host', [
      'note',
      'people',
      'amount',
      'day',
      'moment',
      'open',
      'bk_os_type',
      'operator',
    ])
    await fillAll(server)
    const byValue = [await compare(estate), await compare(await buildEstate(server, second))]
    // Enough queries match a proper subset; otherwise the test would prove nothing.
    for (const telling of [plainly, ...byValue]) expect(telling).toBeGreaterThan(12)
  })
})
