import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { system } from '../../../service.ts'
import { openStorage, type Storage } from '../../../storage/index.ts'
import { findSets, makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import {
  attributeNamed,
  define,
  fillAll,
  keptValues,
  makeSearchable,
  putSets,
} from '../../../testing/data/searchable.ts'
import {
  configOf,
  eachEngine,
  makeStore,
  startServer,
  type TestServer,
  type TestStore,
} from '../../../testing/harness.ts'
import { models } from '../index.ts'
import { fillNext, removeNext } from './filling.ts'

eachEngine((engine) => {
  let store: TestStore
  let server: TestServer
  let business: number
  beforeEach(async () => {
    store = await makeStore(engine)
    server = await startServer(engine, { store })
    business = await makeBusiness(server)
  })
  afterEach(async () => {
    await server.close()
    store.remove()
  })

  const codes = `'{"code":"c' || (i % 40) || '"}'`
  const isReady = async () => (await attributeNamed(server, 'set', 'code')).bk_searchable_state === 'ready'
  const agrees = async () => {
    const { kept, wanted } = await keptValues(server, 'set')
    expect(kept).toEqual(wanted)
    return kept.length
  }

  it('indexes older instances in the background, while they change', async () => {
    const first = 1_000_000
    await putSets(server, business, 3_000, codes, first)
    await define(server, 'set', 'code', 'singlechar', { searchable: true })
    // Changes ahead of the filling, behind it, and at its position.
    for (let turn = 0; !(await isReady()); turn++) {
      const ids = Array.from({ length: 8 }, (_, index) => first + 1 + (((turn * 8 + index) * 377) % 2_900))
      await Promise.all([
        ...ids.map((id, index) =>
          index % 4 === 3
            ? server.call('DELETE', `/set/${business}/${id}`)
            : server.call('PUT', `/set/${business}/${id}`, {
                bk_biz_id: business,
                code: index % 4 ? `new ${turn}` : '',
              }),
        ),
        makeSet(server, business, { code: `made ${turn}` }),
      ])
    }
    expect(await agrees()).toBeGreaterThan(2_000)
    expect((await findSets(server, business, { code: 'made 0' })).data.count).toBe(1)
    expect((await findSets(server, business, { code: 'c7' })).data.count).toBeGreaterThan(30)
  })

  it('resumes after a restart of the server', async () => {
    await putSets(server, business, 1_200, codes)
    await server.close()
    const events = {
      onMigrated() {},
      onSeal() {},
      onFault() {},
      onOutage() {},
      onRecovery() {},
      onUnsafe() {},
      onHistoryReset() {},
      onFailOver() {},
    }
    const storage: Storage = await openStorage(configOf(store), events, models)
    // No background job runs here unless the test starts one, so it can stop in the middle; the first two are built in.
    const id = await storage.change(
      system('0'),
      async (tx) => {
        const common = { account: '0', object_id: 'set', attribute_id: 'code', name: 'code', group_id: 'default' }
        const rest = {
          position: 99,
          type: 'singlechar',
          options: '',
          unit: '',
          placeholder: '',
          required: 0,
          editable: 1,
        }
        const times = { preset: 0, creator: 'test', create_time: tx.now, last_time: tx.now }
        const [key] = (await tx.drawIds('value', 1)) as [number]
        const row = { ...common, ...rest, ...times, searchable: key }
        await tx
          .updateTable('account')
          .set({ model_version: (await tx.modelVersion) + 1 })
          .where('name', '=', '0')
          .execute()
        return (await tx.insertInto('attribute').values(row).returning('id').executeTakeFirstOrThrow()).id
      },
      { chain: 'exclusive' },
    )
    expect(await fillNext(storage.change, system('0'), id)).toMatchObject({ state: 'begun', instances: 500 })
    const told = await storage.read
      .selectFrom('attribute')
      .select('filled_to')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(told.filled_to).toBe(1_000_498)
    await storage.close()

    const lines: Record<string, unknown>[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    server = await startServer(engine, { store, log })
    while (!(await isReady()));
    expect(await agrees()).toBe(1_200)
    const done = { msg: 'searchable attribute filled', object: 'set', attribute: 'code' }
    await expect.poll(() => lines.find(({ msg }) => msg === done.msg)).toMatchObject({ ...done, instances: 702 })
  })

  it('removes the values of attributes that are not searchable any more, and ignores outdated ones', async () => {
    const { storage } = server.service
    const id = await define(server, 'set', 'code', 'singlechar', { searchable: true })
    const set = await makeSet(server, business, { code: 'red' })
    await makeSet(server, business, { code: 'blue' })
    await fillAll(server)
    expect(await agrees()).toBe(2)
    const colours = ['red', 'blue', 'green']
    const rows = () =>
      storage.read
        .selectFrom('attribute_value')
        .select(['key', 'text'])
        .where('text', 'in', colours)
        .orderBy('key')
        .execute()
    const [{ key } = { key: 0 }] = await rows()

    await makeSearchable(server, 'set', ['code'], false)
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, code: 'green' })
    // It stays for a while, for requests that began with the previous model.
    expect(await rows()).toHaveLength(2)
    await makeSearchable(server, 'set', ['code'])
    await fillAll(server)
    expect((await findSets(server, business, { code: 'red' })).data.count).toBe(0)
    expect((await findSets(server, business, { code: 'green' })).data.count).toBe(1)
    expect(await rows()).toHaveLength(4)

    expect(await removeNext(storage.change, system(''), key)).toBe(true)
    expect(await removeNext(storage.change, system(''), key)).toBe(false)
    expect((await rows()).map((row) => row.text).sort()).toEqual(['blue', 'green'])
    expect(await agrees()).toBe(2)
    await server.call('DELETE', `/object/attr/${id}`)
    const dropped = await storage.read.selectFrom('dropped_key').select('key').execute()
    expect(dropped.map((each) => each.key)).toEqual([(await rows())[0]?.key])
  })
})
