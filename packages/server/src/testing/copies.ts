// Estates with records of every kind, and the content of a store as one comparable value.
import { type StoreLocation, snapshotOf } from '../storage/copy/place.ts'
import { sourceOf } from '../storage/copy/source.ts'
import { makeBusiness, makeSet } from './data/factories.ts'
import { makeHosts } from './data/hosts.ts'
import { makeInstance, makeModule } from './data/levels.ts'
import { entry, infoOf, saveQuery } from './data/queries.ts'
import { subscribe } from './data/subscriptions.ts'
import { configOf, type TestServer, type TestStore } from './harness.ts'

export type Row = Record<string, unknown>
export type Everything = Record<string, Row[]>

/** Every row of every table. Order and JSON formatting depend on the engine, so both are normalised. */
export async function everythingIn(store: TestStore | StoreLocation): Promise<Everything> {
  const still = await snapshotOf('flags' in store ? configOf(store) : store)
  try {
    const source = await sourceOf(still)
    // Only PostgreSQL has counters that were never used.
    const drawn = source.counters.filter((counter) => counter.value > 0)
    const found: Everything = { counters: drawn.map((counter) => ({ ...counter })) }
    for (const table of Object.keys(source.counts)) found[table] = []
    for await (const { table, columns, rows } of source.portions()) {
      for (const row of rows) {
        const values = JSON.parse(row) as unknown[]
        const named = Object.fromEntries(columns.map((column, index) => [column, values[index]]))
        const json = table === 'past_row' ? 'content' : 'attributes'
        const text = named[json]
        if (typeof text === 'string') named[json] = inOrder(JSON.parse(text))
        found[table]?.push(named)
      }
    }
    for (const rows of Object.values(found)) rows.sort(byText)
    return found
  } finally {
    await still.close()
  }
}

const inOrder = (row: Row): Row => Object.fromEntries(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))
const textOf = (row: Row) => JSON.stringify(inOrder(row))
const byText = (a: Row, b: Row) => (textOf(a) < textOf(b) ? -1 : 1)

export interface Rich {
  readonly business: number
  /** A place for sets. */
  readonly zone: number
  readonly subscription: number
}

/** Levels, hosts in several modules, a query, settings, a group, a token, a session, a subscription to a receiver. */
export async function makeRichEstate(server: TestServer, receiverUrl: string): Promise<Rich> {
  const ask = async (method: string, path: string, body: unknown) => {
    const { result, bk_error_msg } = await server.call(method, path, body)
    if (!result) throw new Error(`${path}: ${bk_error_msg}`)
  }
  const business = await makeBusiness(server, '商店')
  const set = await makeSet(server, business, { bk_set_name: 'before the level' })
  // Inserted above existing instances, so parents have higher ids than their children.
  const zone = { bk_classification_id: 'bk_biz_topo', bk_obj_id: 'zone', bk_obj_name: 'Zone', bk_asst_obj_id: 'biz' }
  await ask('POST', '/topo/model/mainline', zone)
  const north = await makeInstance(server, 'zone', {
    bk_biz_id: business,
    bk_parent_id: business,
    bk_inst_name: 'north',
  })
  const odd = { bk_parent_id: north, bk_set_name: 'o\'neil \\ "quoted" 😀' }
  const modules = [
    await makeModule(server, business, set, 'web'),
    await makeModule(server, business, await makeSet(server, business, odd), 'db'),
  ]
  await makeHosts(server, { business, modules }, [
    { bk_host_name: 'a', bk_mem: 12 },
    { bk_host_name: 'ä', bk_sn: 'x' },
  ])
  await makeHosts(server, {}, [{ bk_comment: 'in the pool' }])
  await saveQuery(server, business, infoOf(entry('host')), 'all')
  await ask('POST', '/usercustom', { columns: ['bk_host_name'] })
  await ask('POST', '/topo/privilege/group/0', { group_name: 'ops', user_list: 'amy;bob' })
  await server.service.tokens.create('test', {
    user: 'ci',
    account: '0',
    name: 'ci',
    readOnly: false,
    lifetimeMs: null,
  })
  await server.service.storage.engine.script(
    `INSERT INTO session (id_hash, account, user_name, expires) VALUES ('hash', '0', 'amy', ${Date.now() + 1e6})`,
  )
  const { id } = await subscribe(server, { url: receiverUrl }, { subscription_form: 'setcreate' })
  return { business, zone: north, subscription: id }
}
