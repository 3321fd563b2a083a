// Every operator on every type of attribute, for set values, unset values, and values of the wrong type.
import { expect, it } from 'vitest'
import { findSets, makeSet } from '../../packages/server/src/testing/data/factories.ts'
import { makeHosts, makeShop, searchHosts } from '../../packages/server/src/testing/data/hosts.ts'
import { entry, infoOf, runQuery } from '../../packages/server/src/testing/data/queries.ts'
import { define, fillAll } from '../../packages/server/src/testing/data/searchable.ts'
import type { Answer, TestServer } from '../../packages/server/src/testing/harness.ts'
import { eachService, inParallel } from './services.ts'

/** One instance has the low value, one the high value, and one is unset. */
const instances = ['low', 'high', 'unset'] as const
type Instance = (typeof instances)[number]

interface TypeRow {
  readonly low: unknown
  readonly high: unknown
  /** How the low value is stored and shown, if that differs from how it was sent. */
  readonly shown?: unknown
  /** Other ways to write the low value in a condition. */
  readonly alsoLow?: readonly unknown[]
  /** Values that conditions of the type refuse, with the error code. */
  readonly invalid?: readonly [code: number, ...values: unknown[]]
  readonly more?: Record<string, unknown>
}

const choices = ['1', '2'].map((id) => ({ id, name: `choice ${id}`, type: 'text', is_default: false }))
const noTime = ['yesterday', '2020-13-45', '2020-13-45 10:00:00', '2020-01-31', '10:00:00', '', 1580400000, true]

const types: Record<string, TypeRow> = {
  singlechar: { low: 'apple', high: 'pear', invalid: [1199007, true] },
  longchar: { low: 'apple', high: 'pear', invalid: [1199007, true] },
  objuser: { low: 'amy', high: 'bob', invalid: [1199007, true] },
  int: { low: 10, high: 20, alsoLow: ['10'], invalid: [1199009, 'ten', 1.5, true] },
  float: { low: 1.5, high: 2.5, alsoLow: ['1.5'], invalid: [1199042, 'much', true] },
  enum: { low: '1', high: '2', alsoLow: [1], invalid: [1199007, true], more: { option: choices } },
  timezone: { low: 'Asia/Shanghai', high: 'Europe/Berlin', invalid: [1199007, true] },
  date: {
    low: '2020-01-31',
    high: '2021-06-30',
    invalid: [1199006, 'yesterday', '2020-13-45', '2020-02-30', '2020-01-31 10:00:00', '20200131', '', 20200131, true],
  },
  time: {
    low: '2020-01-31T10:00:00+08:00',
    shown: '2020-01-31 02:00:00',
    high: '2021-06-30T12:00:00Z',
    alsoLow: [
      '2020-01-31 02:00:00',
      '2020-01-31T02:00:00Z',
      '2020-01-30T21:00:00.999-05:00',
      '2020-01-31T10:00:00+0800',
    ],
    invalid: [1199006, ...noTime],
  },
  bool: { low: false, high: true, alsoLow: ['false'], invalid: [1199025, 'maybe', 1] },
}
const texts = ['singlechar', 'longchar', 'objuser']
/** Text too long to be indexed cannot be searchable. */
const searchable = Object.keys(types).filter((type) => type !== 'longchar')

/** Types stored as text accept patterns; types other than text have no value when unset, so no pattern matches. */
const isPatterned = (type: string) => typeof types[type]?.low === 'string'

/** What each condition finds for any type, and in addition for types whose unset value is the empty text. */
const operators: readonly [operator: string, of: 'low' | 'high' | 'both', found: string, ifText?: string][] = [
  ['$eq', 'low', 'low'],
  ['$eq', 'high', 'high'],
  ['$ne', 'low', 'high unset'],
  ['$neq', 'low', 'high unset'],
  ['$in', 'both', 'low high'],
  ['$in', 'low', 'low'],
  ['$nin', 'both', 'unset'],
  ['$nin', 'low', 'high unset'],
]
const comparisons: typeof operators = [
  ['$gt', 'low', 'high'],
  ['$gt', 'high', ''],
  ['$gte', 'low', 'low high'],
  ['$gte', 'high', 'high'],
  ['$lt', 'low', '', 'unset'],
  ['$lt', 'high', 'low', 'unset'],
  ['$lte', 'low', 'low', 'unset'],
  ['$lte', 'high', 'low high', 'unset'],
]

interface Case {
  readonly field: string
  readonly operator: string
  readonly value: unknown
  readonly found: readonly Instance[]
}

function casesOf(type: string, field: string): Case[] {
  const { low, high, shown = low, alsoLow = [] } = types[type] as TypeRow
  const expected = (found: string, ifText = '') =>
    `${found} ${texts.includes(type) ? ifText : ''}`.split(' ').filter(Boolean) as Instance[]
  const list = (operator: string, values: unknown[]) => (/in$/.test(operator) ? values : values[0])
  const of = { low: [low], high: [high], both: [low, high] }
  const plain = [...operators, ...(type === 'bool' ? [] : comparisons)].map(([operator, operand, found, ifText]) => {
    return { field, operator, value: list(operator, of[operand]), found: expected(found, ifText) }
  })
  return [
    ...plain,
    ...alsoLow.flatMap((value): Case[] => [
      { field, operator: '$eq', value, found: ['low'] },
      { field, operator: '$nin', value: [value], found: ['high', 'unset'] },
    ]),
    ...(isPatterned(type)
      ? [
          { field, operator: '$regex', value: `^${shown}$`, found: expected('low') },
          { field, operator: '$regex', value: '^$', found: expected('', 'unset') },
        ]
      : []),
    { field, operator: '$exists', value: true, found: ['low', 'high'] },
    { field, operator: '$exists', value: false, found: ['unset'] },
    // As in MongoDB, for clients that have no other way to say "unset".
    { field, operator: '$eq', value: null, found: ['unset'] },
    { field, operator: '$ne', value: null, found: ['low', 'high'] },
  ]
}

interface World {
  readonly business: number
  readonly sets: Record<Instance, number>
  readonly hosts: Record<Instance, number>
}

const plainField = (type: string) => `plain_${type}`
const fastField = (type: string) => `fast_${type}`

async function prepare(server: TestServer): Promise<World> {
  const { business, web } = await makeShop(server)
  for (const object of ['set', 'host']) {
    for (const [type, { more }] of Object.entries(types)) await define(server, object, plainField(type), type, more)
    for (const type of searchable) {
      await define(server, object, fastField(type), type, { ...types[type]?.more, searchable: true })
    }
  }
  await fillAll(server)
  const valuesOf = (which: 'low' | 'high') =>
    Object.fromEntries(
      Object.entries(types).flatMap(([type, row]) => [
        [plainField(type), row[which]],
        ...(searchable.includes(type) ? [[fastField(type), row[which]]] : []),
      ]),
    )
  const values = [valuesOf('low'), valuesOf('high'), {}]
  const sets: number[] = []
  for (const each of values) sets.push(await makeSet(server, business, each))
  const hosts = await makeHosts(server, { business, modules: [web] }, values)
  const named = (ids: readonly number[]) =>
    Object.fromEntries(instances.map((each, index) => [each, ids[index]])) as Record<Instance, number>
  return { business, sets: named(sets), hosts: named(hosts) }
}

/** How a filter is sent: returns the instances found, or the error code. */
type Ask = (filter: Omit<Case, 'found'>) => Promise<Instance[] | number>

function asking({ server, business, sets, hosts }: World & { server: TestServer }): Record<string, Ask> {
  const found = (ids: Record<Instance, number>, answer: Answer<unknown>, idsIn: () => unknown[]) =>
    answer.result ? instances.filter((each) => idsIn().includes(ids[each])) : answer.bk_error_code
  return {
    'set search': async ({ field, operator, value }) => {
      const ours = { bk_set_id: { $in: Object.values(sets) } }
      const answer = await findSets(server, business, { ...ours, [field]: { [operator]: value } })
      return found(sets, answer, () => answer.data.info.map((row) => row.bk_set_id))
    },
    'host search': async ({ field, operator, value }) => {
      const condition = [entry('host', [[field, operator, value]])]
      const answer = await searchHosts(server, { bk_biz_id: business, condition, page: { start: 0, limit: 200 } })
      return found(hosts, answer, () => answer.data.info.map((row) => row.host.bk_host_id))
    },
    'saved query': async ({ field, operator, value }) => {
      const info = infoOf(entry('host', [[field, operator, value]]))
      const saved = await server.call<{ id: string }>('POST', '/userapi', {
        ...{ bk_biz_id: business, info, name: JSON.stringify([field, operator, value, Math.random()]).slice(0, 200) },
      })
      if (!saved.result) return saved.bk_error_code
      const answer = await runQuery(server, business, saved.data.id)
      return found(hosts, answer, () => answer.data.info.map((row) => row.host.bk_host_id))
    },
  }
}

const ways = ['set search', 'host search', 'saved query'] as const

eachService(prepare, (world, dialect) => {
  // Both dialects share this code, so the second one is tested with one search of instances and one of hosts.
  const asked = dialect === 'document' ? ways : ways.slice(0, 2)
  const fields = Object.keys(types).flatMap((type) => [
    { type, field: plainField(type) },
    ...(searchable.includes(type) ? [{ type, field: fastField(type) }] : []),
  ])

  it.each(asked)('%s finds what each operator says of each type', async (way) => {
    const ask = asking(world())[way] as Ask
    const wrong: unknown[] = []
    await inParallel(
      fields.flatMap(({ type, field }) => casesOf(type, field)),
      async ({ found, ...filter }) => {
        const answered = await ask(filter)
        if (String(answered) !== String(found)) wrong.push({ ...filter, found: answered, expected: found })
      },
    )
    expect(wrong).toEqual([])
  })

  it.each(asked)('%s refuses values of the wrong type', async (way) => {
    const ask = asking(world())[way] as Ask
    const wrong: unknown[] = []
    const refused = fields.flatMap(({ type, field }) => {
      const [code, ...values] = types[type]?.invalid ?? []
      const ordering = type === 'bool' ? [] : ['$lte']
      return values.flatMap((value) =>
        ['$eq', '$in', ...ordering].map((operator) => ({
          ...{ code, field, operator, value: operator === '$in' ? [value] : value },
        })),
      )
    })
    for (const { type, field } of fields) {
      refused.push({ code: 1199007, field, operator: '$regex', value: 5 })
      refused.push({ code: isPatterned(type) ? 1199006 : 1199007, field, operator: '$regex', value: '(' })
      refused.push({ code: 1199025, field, operator: '$exists', value: 'yes' })
      refused.push({ code: 1199011, field, operator: '$like', value: '1' })
    }
    await inParallel(refused, async ({ code, ...filter }) => {
      const answered = await ask(filter)
      if (answered !== code) wrong.push({ ...filter, answered, expected: code })
    })
    expect(wrong).toEqual([])
  })

  it('stores every value as the type says', async () => {
    const { server, business, sets } = world()
    const { data } = await findSets(server, business, { bk_set_id: sets.low })
    const { data: unset } = await findSets(server, business, { bk_set_id: sets.unset })
    for (const { type, field } of fields) {
      const { low, shown = low } = types[type] as TypeRow
      expect(data.info[0], field).toHaveProperty(field, shown)
      expect(unset.info[0], field).toHaveProperty(field, texts.includes(type) ? '' : null)
    }
  })

  it('an attribute refuses invalid dates and times', async () => {
    const { server, business, sets } = world()
    const change = (body: object) =>
      server.call('PUT', `/set/${business}/${sets.unset}`, { bk_biz_id: business, ...body })
    const nothing = (value: unknown) => value === ''
    for (const type of ['date', 'time']) {
      const [code, ...values] = types[type]?.invalid ?? []
      for (const value of values.filter((each) => !nothing(each))) {
        const answer = await change({ [plainField(type)]: value })
        expect([value, answer.bk_error_code]).toEqual([value, code])
        expect(answer.bk_error_msg).toContain(plainField(type))
      }
    }
  })

  it('an entry with null does not filter', async () => {
    const { server, business, sets } = world()
    const ours = { bk_set_id: { $in: Object.values(sets) } }
    for (const { field } of fields) {
      const answer = await findSets(server, business, { ...ours, [field]: null })
      expect([field, answer.data?.count]).toEqual([field, 3])
    }
    expect((await findSets(server, business, { nowhere: null })).bk_error_code).toBe(1199011)
  })
})
