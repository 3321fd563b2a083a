import { Problem } from '@mainline/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { zoneOf } from '../../../common/time.ts'
import { parseCondition } from '../../../condition/parse.ts'
import { system } from '../../../service.ts'
import type { Tx } from '../../../storage/index.ts'
import { makeBusiness } from '../../../testing/data/factories.ts'
import { define, fillAll, keptValues, makeSearchable } from '../../../testing/data/searchable.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { conditions, type NewRow, patterns, rows, text } from '../../../testing/random/arbitraries.ts'
import { modelOf, type ObjectModel, objectOf } from '../../model/index.ts'
import { fieldsOf } from './fields.ts'
import { createInstances, deleteInstances, type NodeRules, updateInstance } from './instances.ts'
import { inBusiness, searchNodes } from './search.ts'

const zone = zoneOf('Asia/Shanghai')
const showing = { language: 'en', zone } as const
const bounded = { interruptAfterTimeLimit: 60_000 }

/** One attribute of every type that is indexed differently. */
const defined = {
  ...{ note: 'singlechar', people: 'objuser', day: 'date', moment: 'time', clock: 'timezone' },
  ...{ amount: 'int', ratio: 'float', open: 'bool' },
}
const searched = ['bk_set_name', ...Object.keys(defined)]

const given = fc.record(
  {
    bk_set_name: fc.constantFrom('a', 'ab', '10', '空闲机池 2', 'NULL'),
    note: text,
    people: fc.constantFrom('amy', 'amy,bob', 'bob,zoë', ''),
    day: fc.constantFrom('2026-01-30', '2026-01-31', ''),
    moment: fc.constantFrom('2026-01-31T04:00:00Z', '2026-01-31 12:00:01', '2026-01-30T23:00:01-0500', null),
    clock: fc.constantFrom('UTC', 'Asia/Shanghai', ''),
    amount: fc.constantFrom(0, 1, -1, 10, Number.MAX_SAFE_INTEGER, null),
    ratio: fc.constantFrom(0, 0.1, -1.5, 5e-324, 10, null),
    open: fc.constantFrom(true, false, null),
  },
  { requiredKeys: [] },
)
const act = fc.oneof(
  fc.record({ what: fc.constant('create' as const), given }),
  fc.record({ what: fc.constant('update' as const), which: fc.nat(), given }),
  fc.record({ what: fc.constant('update' as const), which: fc.nat(), given }),
  fc.record({ what: fc.constant('delete' as const), which: fc.nat() }),
)
type Act = typeof act extends fc.Arbitrary<infer Done> ? Done : never

/** Conditions that existing rows match, combined as in most requests. */
const test = (...values: unknown[]) => {
  const value = fc.constantFrom(...values)
  const one = (operator: string) => value.map((each) => ({ [operator]: each }))
  const several = fc.array(value, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    value,
    several.map((each) => ({ $in: each })),
    ...(typeof values[0] === 'boolean' ? [] : ['$gt', '$gte', '$lt', '$lte'].map(one)),
    ...['$eq', '$ne'].map(one),
  )
}
const words = ['a', 'ab', '10', 'NULL', 'idle pool', '空闲机池', '']
const tests: Record<string, fc.Arbitrary<unknown>> = {
  bk_set_name: test(...words),
  note: test(...words),
  people: test('amy', 'bob', 'amy,bob', 'zoë', ''),
  day: test('2026-01-30', '2026-01-31'),
  moment: test('2026-01-31 12:00:00', '2026-01-31T04:00:01Z', '2026-01-31T05:00:00.500+01:00'),
  clock: test('UTC', 'Asia/Shanghai', ''),
  amount: test(0, 1, 10, -1),
  ratio: test(0, 0.1, -1.5, 10),
  open: test(true, false),
}
const filter = fc.oneof(...Object.entries(tests).map(([field, each]) => each.map((asked) => ({ [field]: asked }))))
const common = fc.array(filter, { minLength: 1, maxLength: 2 }).map((filters) => Object.assign({}, ...filters))
const asked = fc.oneof(
  { weight: 4, arbitrary: fc.record({ input: common, text: fc.constant('whole' as const) }) },
  { weight: 1, arbitrary: conditions },
  {
    weight: 2,
    arbitrary: fc.tuple(common, patterns).map(([each, { input, text }]) => ({ input: { $and: [each, input] }, text })),
  },
)
const phase = fc.record({
  on: fc.subarray(searched, { minLength: 3 }),
  acts: fc.array(act, { minLength: 3, maxLength: 10 }),
  questions: fc.array(asked, { minLength: 40, maxLength: 60 }),
})

eachEngine((engine) => {
  let server: TestServer
  let bizId: number
  let business: number
  const set: NodeRules = {
    object: 'set',
    builtIn: () => new Problem('setProtected', {}),
    noParent: () => new Problem('unknown', {}),
  }
  beforeAll(async () => {
    server = await startServer(engine)
    bizId = await makeBusiness(server)
    for (const [id, type] of Object.entries(defined)) await define(server, 'set', id, type)
    const { read } = server.service.storage
    const found = await read.selectFrom('business').select('node').where('biz_id', '=', bizId).executeTakeFirstOrThrow()
    business = found.node
  })
  afterAll(() => server.close())

  const change = <T>(work: (tx: Tx) => Promise<T>) => server.service.storage.change(system('0'), work)

  /** Rows as after years of use, while nothing is searchable yet. */
  async function store(created: readonly NewRow[]): Promise<void> {
    await makeSearchable(server, 'set', searched, false)
    await change(async (tx) => {
      for (const object of ['module', 'set']) {
        await tx.deleteFrom('node').where('business', '=', business).where('object_id', '=', object).execute()
      }
      const ids = await tx.drawIds('set', created.length)
      const place = { account: '0', object_id: 'set', business, biz_id: bizId, parent: business, parent_id: bizId }
      const nodes = created.map((row, index) => {
        const id = ids[index] ?? 0
        return { ...place, ...row, inst_id: id, name_key: String(id), attributes: JSON.stringify(row.attributes) }
      })
      await tx.insertInto('node').values(nodes).execute()
    })
  }

  async function perform(done: Act): Promise<void> {
    const { read } = server.service.storage
    const ids = await read
      .selectFrom('node')
      .select('inst_id')
      .where('business', '=', business)
      .where('object_id', '=', 'set')
      .execute()
    const id = 'which' in done ? ids[done.which % ids.length]?.inst_id : 0
    if (id === undefined) return
    try {
      await change(async (tx) => {
        if (done.what === 'delete') return deleteInstances(tx, set, { bizId, ids: [id] }, showing)
        if (done.what === 'update') return updateInstance(tx, set, { bizId, id }, done.given, showing)
        await createInstances(tx, set, { bizId, parentId: bizId }, [{ bk_set_name: 'new', ...done.given }], showing)
      })
    } catch (error) {
      // A duplicate name, or the built-in set: nothing has changed, and nothing may have been indexed.
      if (!(error instanceof Problem)) throw error
    }
  }

  /** Its current state; sets have no list of users, businesses do. */
  async function setNow(): Promise<ObjectModel> {
    const object = objectOf(await modelOf(server.service.storage.read, '0'), 'set')
    const fields = new Map(fieldsOf(object))
    const people = fields.get('people')
    if (people) fields.set('people', { ...people, isList: true })
    object.derived.set('fields', fields)
    return object
  }

  it('finds the same with searchable attributes as without, after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.array(phase, { minLength: 2, maxLength: 2 }), async (created, phases) => {
        await store(created)
        for (const { on, acts, questions } of phases) {
          await makeSearchable(server, 'set', on)
          await makeSearchable(
            server,
            'set',
            searched.filter((each) => !on.includes(each)),
            false,
          )
          const [during, after] = [acts.slice(0, 3), acts.slice(3)]
          await Promise.all([fillAll(server), ...during.map(perform)])
          for (const done of after) await perform(done)

          const { kept, wanted } = await keptValues(server, 'set')
          expect(kept).toEqual(wanted)
          const object = await setNow()
          const fields = fieldsOf(object)
          for (const { input, text } of questions) {
            const condition = parseCondition(input, { fields, zone, text })
            const search = {
              object,
              scope: inBusiness(business),
              condition,
              page: { start: 0, limit: 7, sort: 'note' },
            }
            const [plain, narrowed] = await Promise.all([
              searchNodes(server.service.storage, search),
              searchNodes(server.service.storage, { ...search, counted: 'anew' }),
            ])
            expect(narrowed, JSON.stringify(input)).toEqual(plain)
          }
        }
      }),
      { ...bounded, numRuns: 3 },
    )
  })
})
