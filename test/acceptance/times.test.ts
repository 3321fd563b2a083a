// Dates and times in conditions: on every object, and on the times of every kind of record.
import { expect, it } from 'vitest'
import { findSets, makeBusiness, makeSet } from '../../packages/server/src/testing/data/factories.ts'
import { makeHost, makeShop } from '../../packages/server/src/testing/data/hosts.ts'
import { makeInstance, makeModule, putLevel } from '../../packages/server/src/testing/data/levels.ts'
import { entry, infoOf, preview, saveQuery } from '../../packages/server/src/testing/data/queries.ts'
import { define } from '../../packages/server/src/testing/data/searchable.ts'
import { subscribe } from '../../packages/server/src/testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { eachService } from './services.ts'

type Condition = Record<string, unknown>
interface Searched {
  readonly method: 'POST'
  readonly path: string
  readonly body: (condition: Condition) => unknown
}

const page = { start: 0, limit: 200 }
const found = (path: string): Searched => ({
  method: 'POST',
  path,
  body: (condition) => ({ page, fields: [], condition }),
})
const listed = (path: string): Searched => ({ method: 'POST', path, body: (condition) => ({ condition }) })
const plain = (path: string): Searched => ({ method: 'POST', path, body: (condition) => condition })

const set = { ended: '2020-01-31', seen: '2020-01-31T10:00:00+08:00' }

/** For every object one instance with a date and a time, and one without. */
async function prepare(server: TestServer) {
  const objects = ['biz', 'set', 'module', 'tier', 'bk_switch']
  const shop = await makeShop(server)
  await putLevel(server, 'tier')
  for (const object of objects) {
    await define(server, object, 'ended', 'date')
    await define(server, object, 'seen', 'time')
  }
  const { business } = shop
  await server.call('PUT', `/biz/0/${business}`, set)
  await makeBusiness(server)
  const tiers = [
    await makeInstance(server, 'tier', { bk_biz_id: business, bk_parent_id: business, bk_inst_name: 'one', ...set }),
    await makeInstance(server, 'tier', { bk_biz_id: business, bk_parent_id: business, bk_inst_name: 'two' }),
  ] as const
  const sets = [
    await makeSet(server, business, { bk_parent_id: tiers[0], ...set }),
    await makeSet(server, business, { bk_parent_id: tiers[1] }),
  ] as const
  const web = await makeModule(server, business, sets[0], 'web')
  await makeModule(server, business, sets[0], 'db')
  const other = await makeModule(server, business, sets[1], 'web')
  await server.call('PUT', `/module/${business}/${sets[0]}/${web}`, set)
  for (const name of ['core', 'edge']) {
    await server.call('POST', '/inst/0/bk_switch', { bk_inst_name: name, ...(name === 'core' && set) })
  }
  const hosts = [
    await makeHost(server, { business, modules: [web] }),
    await makeHost(server, { business, modules: [other] }),
  ] as const
  await saveQuery(server, business, infoOf(), 'never changed')
  await server.call('POST', '/hosts/favorites', { name: 'mine' })
  await subscribe(server, { url: 'http://127.0.0.1:9/' })
  return { business, sets, hosts }
}

const bad = ['yesterday', '2020-13-45', '2020-13-45 10:00:00', '', 7]

eachService(prepare, (world, dialect) => {
  const count = async ({ method, path, body }: Searched, condition: Condition) => {
    const answer = await world().server.call<unknown>(method, path, body(condition))
    if (!answer.result) return answer.bk_error_code
    return Array.isArray(answer.data) ? answer.data.length : (answer.data as { count: number }).count
  }

  it('finds instances of every object by date and time, and unset ones only by conditions that unset values satisfy', async () => {
    const { business, sets } = world()
    const searches = {
      business: found('/biz/search/0'),
      set: found(`/set/search/0/${business}`),
      module: found(`/module/search/0/${business}/${sets[0]}`),
      level: found('/inst/search/owner/0/object/tier'),
      object: found('/inst/search/owner/0/object/bk_switch'),
    }
    for (const [what, search] of Object.entries(searches)) {
      const all = Number(await count(search, {}))
      const expected: [Condition, number][] = [
        [{ ended: '2020-01-31' }, 1],
        [{ ended: { $lte: '2020-01-31' } }, 1],
        [{ ended: { $lt: '2030-01-01' } }, 1],
        [{ ended: { $gt: '2030-01-01' } }, 0],
        [{ ended: { $ne: '2020-01-31' } }, all - 1],
        [{ ended: { $nin: ['2030-01-01'] } }, all],
        [{ ended: { $exists: false } }, all - 1],
        [{ ended: null, seen: null }, all],
        [{ seen: '2020-01-31 02:00:00' }, 1],
        [{ seen: { $in: ['2020-01-30T21:00:00-05:00'] } }, 1],
        [{ seen: { $lt: '2020-01-31T10:00:01+08:00' } }, 1],
        [{ seen: { $lt: '2020-01-31T10:00:00+08:00' } }, 0],
        [{ seen: { $gte: '2020-01-31T02:00:00Z' } }, 1],
        [{ seen: { $exists: false } }, all - 1],
        ...bad.flatMap((value): [Condition, number][] => [
          [{ ended: value }, 1199006],
          [{ seen: { $lt: value } }, 1199006],
        ]),
      ]
      for (const [condition, finds] of expected) {
        expect([what, condition, await count(search, condition)]).toEqual([what, condition, finds])
      }
    }
  })

  it.each(['biz', 'set', 'module', 'object'])('saved queries find hosts by dates and times of %s', async (kind) => {
    const { server, business, hosts } = world()
    const both = kind === 'biz'
    const run = async (field: string, operator: string, value: unknown) => {
      const answer = await preview(server, business, infoOf(entry(kind, [[field, operator, value]]), entry('host')))
      return answer.result ? answer.data.info.map(({ host }) => host.bk_host_id) : answer.bk_error_code
    }
    const [dated, undated] = [both ? [...hosts] : [hosts[0]], both ? [] : [hosts[1]]]
    expect(await run('ended', '$lt', '2030-01-01')).toEqual(dated)
    expect(await run('seen', '$lte', '2020-01-31T02:00:00Z')).toEqual(dated)
    expect(await run('ended', '$ne', '2020-01-31')).toEqual(undated)
    expect(await run('seen', '$exists', false)).toEqual(undated)
    for (const value of bad) {
      expect([value, await run('ended', '$gte', value)]).toEqual([value, 1199006])
      expect([value, await run('seen', '$eq', value)]).toEqual([value, 1199006])
    }
  })

  it('finds records by their times, and refuses invalid times', async () => {
    const { business, sets } = world()
    const times: [what: string, search: Searched, field: string][] = [
      ['business', found('/biz/search/0'), 'create_time'],
      ['set', found(`/set/search/0/${business}`), 'last_time'],
      ['module', found(`/module/search/0/${business}/${sets[0]}`), 'create_time'],
      ['level', found('/inst/search/owner/0/object/tier'), 'last_time'],
      ['object', found('/inst/search/owner/0/object/bk_switch'), 'create_time'],
      ['query', listed(`/userapi/search/${business}`), 'create_time'],
      ['favourite', listed('/hosts/favorites/search'), 'last_time'],
      ['log', listed('/audit/search'), 'op_time'],
      ['model', plain('/objects'), 'create_time'],
      ['attribute', plain('/object/attr/search'), 'last_time'],
      ...(dialect === 'document'
        ? []
        : [['subscription', found('/event/subscribe/search/0/0'), 'last_time'] as [string, Searched, string]]),
    ]
    for (const [what, search, field] of times) {
      const all = await count(search, {})
      expect(all, what).toBeGreaterThan(0)
      const asked = (value: unknown) => count(search, { [field]: value })
      const [past, future] = ['2000-01-01T00:00:00.000000Z', '2100-01-01 00:00:00']
      expect([what, await asked({ $gt: past }), await asked({ $lt: past })]).toEqual([what, all, 0])
      expect([what, await asked({ $lte: future }), await asked({ $nin: [past] })]).toEqual([what, all, all])
      for (const value of bad.filter((each) => each !== '' || field !== 'op_time')) {
        expect([what, value, await asked({ $gte: value })]).toEqual([what, value, 1199006])
        expect([what, value, await asked({ $in: [value] })]).toEqual([what, value, 1199006])
      }
    }
  })

  it('a saved query that was never updated has no time of update', async () => {
    const { business } = world()
    const asked = (last_time: unknown) => count(listed(`/userapi/search/${business}`), { last_time, name: 'never' })
    expect(await asked({ $lt: '2100-01-01 00:00:00' })).toBe(0)
    expect(await asked({ $gte: '1960-01-01 00:00:00' })).toBe(0)
    expect(await asked({ $exists: false })).toBe(1)
    expect(await asked({ $ne: '1970-01-01 00:00:00' })).toBe(1)
  })
})

eachEngine((engine) => {
  it('keeps and compares times in the configured zone', async () => {
    const server = await startServer(engine, { flags: ['--timezone', 'Asia/Shanghai'] })
    try {
      const business = await makeBusiness(server)
      await define(server, 'set', 'seen', 'time')
      for (const seen of ['2020-01-31T02:00:00Z', '2020-01-31 10:00:00', '2020-01-30T21:00:00-05:00']) {
        await makeSet(server, business, { seen })
      }
      for (const asked of ['2020-01-31 10:00:00', '2020-01-31T02:00:00Z', '2020-01-31T03:00:00+01:00']) {
        const { data } = await findSets(server, business, { seen: asked })
        expect(data.info.map((row) => row.seen)).toEqual(Array(3).fill('2020-01-31 10:00:00'))
      }
      expect((await findSets(server, business, { seen: '2020-01-31T10:00:00Z' })).data.count).toBe(0)
    } finally {
      await server.close()
    }
  })
})
