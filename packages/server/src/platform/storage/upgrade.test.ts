import { afterEach, expect, it } from 'vitest'
import { configOf, eachEngine, makeStore, type TestStore } from '../../testing/harness.ts'
import { readerOver } from './handles.ts'
import { openEngine } from './index.ts'
import { migrate, readMigrations } from './migrate.ts'

const shipped = readMigrations()
const [first] = shipped as [(typeof shipped)[number]]

type Row = Record<string, string | number | null>
const insert = (table: string, rows: readonly Row[]) =>
  rows.map((row) => {
    const values = Object.values(row).map((value) => (typeof value === 'string' ? `'${value}'` : `${value}`))
    return `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${values});`
  })

const made = { creator: 'amy', create_time: 1, last_time: 2 }
const node = (object_id: string, inst_id: number, name: string, more: Row = {}): Row => ({
  ...{ account: '0', object_id, inst_id, name, name_key: name, built_in: 0, attributes: '{"kept": 1}', ...made },
  ...{ biz_id: 0, parent_id: 0, business: null, parent: null, ...more },
})
/** Internal ids are given in order, from 1. */
const inBusiness = (business: number, parent: number, parent_id: number): Row => ({
  biz_id: 7,
  business,
  parent,
  parent_id,
})
const nodes = [
  node('biz', 7, 'shop', { biz_id: 7 }),
  node('region', 1, 'north', inBusiness(1, 1, 7)),
  node('set', 3, 'idle pool', { ...inBusiness(1, 1, 7), built_in: 1 }),
  node('set', 4, 'one', inBusiness(1, 2, 1)),
  node('module', 5, 'idle machine', { ...inBusiness(1, 3, 3), built_in: 1 }),
  node('module', 6, 'web', inBusiness(1, 4, 4)),
  node('bk_switch', 2, 'core', {}),
]
const account = { name: '0', chain_version: 3, model_version: 4 }
const business = {
  node: 1,
  account: '0',
  biz_id: 7,
  status: 'enable',
  living_name: 'shop',
  version: 5,
  tree_version: 6,
}
const record = {
  ...{ ticket: 1, position: 1, txn_id: 't', ordinal: 0, account: '0', biz_id: 7, object_id: 'biz', inst_id: 7 },
  ...{ operation: 1, description: 'create business', operator: 'amy', op_time: 1, ext_key: '', request_id: 'r' },
  ...{ content: '{"pre":null,"cur":{}}', events: '[]' },
}

/** A database that the first release made, as it stands when this one opens it. */
eachEngine((name) => {
  let store: TestStore
  afterEach(() => store.remove())

  async function madeByFirst(): Promise<void> {
    store = await makeStore(name)
    const engine = await openEngine(configOf(store))
    await migrate(engine, [first])
    const rows = [
      ...insert('account', [account, { ...account, name: 'other' }]),
      ...insert('node', nodes),
      ...insert('business', [business]),
      ...insert('log', [record]),
    ]
    await engine.script(rows.join('\n'))
    await engine.close()
  }

  it('keeps every row and every reference, and gives each account its cloud area 0', async () => {
    await madeByFirst()
    const engine = await openEngine(configOf(store))
    const before = await readerOver(engine.reads, engine).selectFrom('node').selectAll().orderBy('id').execute()
    expect(await migrate(engine, shipped)).toEqual(shipped.slice(1).map((each) => each.name))

    const reader = readerOver(engine.reads, engine)
    const after = await reader.selectFrom('node').selectAll().orderBy('id').execute()
    expect(after.slice(0, before.length)).toEqual(before)
    const areas = after.slice(before.length).map((row) => [row.account, row.object_id, row.inst_id, row.built_in])
    expect(areas.toSorted()).toEqual(['0', 'other'].map((each) => [each, 'plat', 0, 1]))
    expect(await reader.selectFrom('business').selectAll().execute()).toEqual([business])
    expect(await reader.selectFrom('account').selectAll().orderBy('name').execute()).toMatchObject([
      // A later step has changed the model.
      { ...account, model_version: account.model_version + 1 },
      { name: 'other' },
    ])
    expect(await reader.selectFrom('log').selectAll().execute()).toMatchObject([record])
    if (name === 'sqlite') {
      expect((await engine.reads.query('PRAGMA foreign_key_check', [])).rows).toEqual([])
      expect((await engine.reads.query('PRAGMA integrity_check', [])).rows).toEqual([{ integrity_check: 'ok' }])
    }
    // What refers to instances still keeps them, and what is named twice is still refused.
    const sibling = insert('node', [node('set', 9, 'one', inBusiness(1, 2, 1))]).join('')
    for (const broken of ['DELETE FROM node WHERE id = 1', 'DELETE FROM node WHERE id = 4', sibling]) {
      await expect(Promise.resolve().then(() => engine.script(broken))).rejects.toThrow()
    }
    await engine.close()
  })
})
