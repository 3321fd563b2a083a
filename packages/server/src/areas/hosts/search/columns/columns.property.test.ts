// Searches answered by columns equal those of SQL and of a test of each host in memory, for any values, conditions and changes, and whichever process
// has made the changes.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { zoneOf } from '../../../../common/time.ts'
import { type Condition, everything, type Test } from '../../../../condition/condition.ts'
import { meets } from '../../../../condition/evaluate.ts'
import { literally } from '../../../../condition/literal.ts'
import { parseCondition } from '../../../../condition/parse.ts'
import type { Storage, Tx } from '../../../../storage/index.ts'
import { freshAddress, makeShop, type Shop } from '../../../../testing/data/hosts.ts'
import { eachEngine, makeStore, startServer, type TestServer, type TestStore } from '../../../../testing/harness.ts'
import { conditions, type NewRow, patterns, rows } from '../../../../testing/random/arbitraries.ts'
import { modelOf, objectOf } from '../../../model/index.ts'
import { fieldsOf } from '../../../topology/index.ts'
import { hostFields } from '../../fields.ts'
import { keptAttributes, storedHostValue } from '../../record.ts'
import { findHosts, type Host } from '../../rows.ts'
import { planSearch } from '../plan.ts'
import { findHostIds, searchHosts } from '../search.ts'
import { HostColumns } from './host-columns.ts'

const zone = zoneOf('Asia/Shanghai')
const actor = { user: 'test', account: '0', requestId: '' }
/** Shrinking inserts rows repeatedly, so it is limited in time and reports the best result so far. */
const bounded = { interruptAfterTimeLimit: 20_000 }

const defined = {
  ...{ note: 'singlechar', day: 'date', moment: 'time', clock: 'timezone' },
  ...{ amount: 'int', ratio: 'float', open: 'bool' },
}

/** The generators name fields of sets. */
const namesOfHosts = {
  ...{ bk_set_name: 'bk_os_name', creator: 'bk_comment', default: 'bk_cloud_id', people: 'bk_bak_operator' },
}
const ofHosts = (input: unknown): Record<string, unknown> =>
  JSON.parse(
    Object.entries(namesOfHosts).reduce(
      (text, [of, here]) => text.replaceAll(`"${of}":`, `"${here}":`),
      JSON.stringify(input),
    ),
  )

/** Numbers stand for any host, module or process that there is. */
const pick = fc.nat(1_000)
const part = fc.constantFrom('10.', '.1', '0', 'a', 'A', 'idle', '空闲')
const change = fc.oneof(
  fc.record({ what: fc.constant('edit' as const), host: pick, row: rows.map(([row]) => row as NewRow) }),
  fc.record({ what: fc.constant('add' as const), module: pick, row: rows.map(([row]) => row as NewRow) }),
  fc.record({
    what: fc.constant('move' as const),
    host: pick,
    modules: fc.array(pick, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ what: fc.constant('remove' as const), host: pick }),
)
const everyHost = fc.constant({ input: {}, text: 'whole' as const })
/** Of the last change, of the number of changes, and parts of addresses as the console sends them. */
const ofHostsAlone = fc
  .oneof(
    fc.tuple(fc.constant('bk_revision'), fc.record({ $gt: fc.nat(3) })),
    fc.tuple(fc.constant('last_time'), fc.record({ $lte: fc.constant('2026-01-31 12:00:00') })),
    fc.tuple(
      fc.constantFrom('bk_host_innerip', 'bk_os_name'),
      fc.record({ $regex: part.map((each) => `(?i)${literally(each)}`) }),
    ),
    fc.tuple(fc.constant('bk_os_name'), fc.constantFrom({ $regex: '.*' }, { $regex: '^[^a]*$' })),
  )
  .map(([field, test]) => ({ input: { [field]: test }, text: 'whole' as const }))
/** As the parts of addresses that are sent beside a condition. */
const containing = fc
  .tuple(fc.constantFrom('bk_host_innerip', 'bk_os_name'), part)
  .map(([field, part]) => ({ field, test: { is: 'containing', part } satisfies Test }))
const question = fc.record({
  condition: fc.oneof(
    { weight: 4, arbitrary: conditions },
    { weight: 2, arbitrary: patterns },
    { weight: 1, arbitrary: everyHost },
    { weight: 2, arbitrary: ofHostsAlone },
  ),
  beside: fc.oneof({ weight: 4, arbitrary: fc.constant(everything) }, { weight: 1, arbitrary: containing }),
  scope: fc.record({ business: fc.constantFrom(undefined, 0, 1), module: fc.constantFrom(undefined, 'web', 'db') }),
  process: pick,
})
type Change = typeof change extends fc.Arbitrary<infer Each> ? Each : never
type Question = typeof question extends fc.Arbitrary<infer Each> ? Each : never
/** Columns are read in another order if nothing is cached. */
const round = fc.tuple(
  fc.boolean(),
  fc.array(change, { maxLength: 6 }),
  fc.array(question, { minLength: 6, maxLength: 10 }),
)

eachEngine((engine) => {
  let store: TestStore
  let servers: TestServer[]
  let shops: Shop[]
  let modules: { id: number; parent: number; business: number }[]
  let area: number
  let isByColumns = false
  /** As the API stores hosts, without values that are not set; otherwise also as an older model or another program may have left them. */
  let isStrict = false
  beforeAll(async () => {
    store = await makeStore(engine)
    const server = await startServer(engine, { store })
    servers = engine === 'postgres' ? [server, await startServer(engine, { store })] : [server]
    await defineAttributes(server)
    shops = [await makeShop(server), await makeShop(server)]
    const { read } = server.service.storage
    const ids = shops.flatMap(({ web, db }) => [web, db])
    const nodes = await read
      .selectFrom('node')
      .select(['id', 'parent', 'business'])
      .where('object_id', '=', 'module')
      .where((eb) => read.dialect.among(eb.ref('inst_id'), ids, 'integer'))
      .orderBy('id')
      .execute()
    modules = nodes as typeof modules
    area = (
      await read
        .selectFrom('node')
        .select('id')
        .where('object_id', '=', 'plat')
        .where('inst_id', '=', 0)
        .executeTakeFirstOrThrow()
    ).id
  })
  afterAll(async () => {
    for (const server of servers) await server.close()
    store.remove()
  })

  const one = <T>(list: readonly T[], number: number): T => list[number % list.length] as T
  const changing = (work: (tx: Tx) => Promise<unknown>) =>
    one(servers, 0).service.storage.change(actor, async (tx) => void (await work(tx)))

  async function defineAttributes({ service }: TestServer) {
    await service.storage.change(actor, async (tx) => {
      const common = { account: '0', object_id: 'host', group_id: 'default', options: '', unit: '', placeholder: '' }
      const flags = { required: 0, editable: 1, preset: 0, creator: 'amy', create_time: tx.now, last_time: tx.now }
      const attributes = Object.entries(defined).map(([id, type], index) => {
        return { ...common, ...flags, attribute_id: id, name: id, type, position: 100 + index }
      })
      await tx.insertInto('attribute').values(attributes).execute()
      await tx
        .updateTable('account')
        .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
        .where('name', '=', '0')
        .execute()
    })
  }

  const recordOf = (tx: Tx, instance: number) =>
    tx.record({
      ...{ operation: 'update', object: 'host', instance, business: 0, description: 'update host' },
      ...{ revision: 2, before: null, after: null, events: [] },
    })
  const attributesOf = ({ name, creator, attributes: { people, ...others } }: NewRow) => {
    const attributes = { ...others, bk_os_name: name, bk_comment: creator, bk_bak_operator: people }
    return isStrict ? keptAttributes(attributes) : JSON.stringify(attributes)
  }
  const hostsNow = (tx: Tx) => tx.selectFrom('host').select(['id', 'host_id', 'business']).orderBy('id').execute()

  async function add(tx: Tx, row: NewRow, module: number) {
    const [host_id] = await tx.drawIds('host', 1)
    const at = one(modules, module)
    const times = { create_time: row.create_time, last_time: row.last_time }
    const place = { account: '0', business: at.business, cloud: area, cloud_id: 0, inner_ip: freshAddress() }
    const { id } = await tx
      .insertInto('host')
      .values({ host_id: host_id as number, ...place, ...times, attributes: attributesOf(row) })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('placement')
      .values({ host: id, module: at.id, set_node: at.parent, business: at.business })
      .execute()
    recordOf(tx, host_id as number)
  }

  async function apply(tx: Tx, step: Change) {
    if (step.what === 'add') return add(tx, step.row, step.module)
    const hosts = await hostsNow(tx)
    if (hosts.length === 0) return
    const host = one(hosts, step.host)
    if (step.what === 'edit') {
      const { create_time, last_time } = step.row
      const values = { attributes: attributesOf(step.row), create_time, last_time }
      await tx
        .updateTable('host')
        .set((eb) => ({ ...values, revision: eb('revision', '+', 1) }))
        .where('id', '=', host.id)
        .execute()
    } else {
      await tx.deleteFrom('placement').where('host', '=', host.id).execute()
      if (step.what === 'remove') await tx.deleteFrom('host').where('id', '=', host.id).execute()
      else {
        const there = modules.filter((each) => each.business === one(modules, step.modules[0] ?? 0).business)
        const chosen = new Set(step.modules.map((number) => one(there, number)))
        const business = one(there, 0).business
        await tx.updateTable('host').set({ business }).where('id', '=', host.id).execute()
        for (const { id, parent } of chosen) {
          await tx.insertInto('placement').values({ host: host.id, module: id, set_node: parent, business }).execute()
        }
      }
    }
    recordOf(tx, host.host_id)
  }

  async function answers(storage: Storage, asked: Question) {
    const { condition, beside, scope } = asked
    const model = await modelOf(storage.read, '0')
    const object = objectOf(model, 'host')
    const fields = hostFields(object)
    const parsed = parseCondition(ofHosts(condition.input), { fields, zone, text: condition.text })
    const host: Condition = { all: [beside, parsed] }
    const named = scope.module === undefined ? {} : { bk_module_name: scope.module }
    const module = parseCondition(named, { fields: fieldsOf(objectOf(model, 'module')), zone, text: 'whole' })
    const queryOf = (host: Condition) => ({
      conditions: { biz: everything, set: everything, module, host, plat: everything },
      ...{ levels: undefined, associated: [], fields: new Map() },
    })
    const business = scope.business === undefined ? undefined : one(modules, 2 * scope.business).business
    const planOf = (host: Condition) =>
      planSearch(storage, { account: '0', model, business, query: queryOf(host), order: [] })
    const plan = await planOf(host)
    const { count, hosts } = await searchHosts(storage, plan, { start: 0, limit: 200 })
    isByColumns ||= HostColumns.last(storage, '0') !== undefined
    const there = await findHosts(storage.read, '0', await findHostIds(storage, await planOf(everything)))
    const isMet = (each: Host) => meets({ builtIn: 0, value: storedHostValue(object, each) }, host, fields)
    return {
      columns: [hosts.map((each) => each.host_id), count],
      sql: await findHostIds(storage, plan),
      memory: there.filter(isMet).map((each) => each.host_id),
    }
  }

  it('finds the same hosts as SQL after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(round, { minLength: 3, maxLength: 5 }),
        fc.boolean(),
        async (created, rounds, strict) => {
          isStrict = strict
          await changing(async (tx) => {
            for (const { id, host_id } of await hostsNow(tx)) {
              await tx.deleteFrom('placement').where('host', '=', id).execute()
              await tx.deleteFrom('host').where('id', '=', id).execute()
              recordOf(tx, host_id)
            }
            for (const [index, row] of created.entries()) await add(tx, row, index)
          })
          for (const [isCleared, changes, questions] of rounds) {
            if (isCleared) for (const { service } of servers) service.storage.engine.cache.clear()
            for (const step of changes) await changing((tx) => apply(tx, step))
            for (const asked of questions) {
              const { storage } = one(servers, asked.process).service
              const { columns, sql, memory } = await answers(storage, asked)
              const what = JSON.stringify(asked)
              expect(columns, what).toEqual([memory.toSorted((a, b) => a - b), memory.length])
              expect(sql, what).toEqual(columns[0])
            }
          }
        },
      ),
      { ...bounded, numRuns: 8 },
    )
    expect(isByColumns).toBe(true)
  })
})
