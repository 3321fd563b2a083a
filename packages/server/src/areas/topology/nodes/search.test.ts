import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSets, makeBusiness } from '../../../testing/data/factories.ts'
import { searchHosts } from '../../../testing/data/hosts.ts'
import { putSets } from '../../../testing/data/large.ts'
import { entry } from '../../../testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putHost, putModule } from '../../../testing/inspect/rows.ts'

/** Two batches and one more. */
const many = 10_001

eachEngine((engine) => {
  let server: TestServer
  let business: number
  let ids: number[]
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    ids = await putSets(server, business, many)
  })
  afterAll(() => server.close())

  const found = async (condition: unknown, page: object) => {
    const { count, info } = (await findSets(server, business, condition, { page })).data
    return { count, ids: info.map((set) => set.bk_set_id) }
  }

  it('finds by a pattern among any number of instances, in the requested order', async () => {
    const sevens = { bk_set_name: { $regex: '7$' } }
    const matching = ids.filter((_, nth) => nth % 10 === 7)
    const count = matching.length
    expect(await found(sevens, { start: 0, limit: 20 })).toEqual({ count, ids: matching.slice(0, 20) })
    expect(await found(sevens, { start: 990, limit: 20 })).toEqual({ count, ids: matching.slice(990) })
    expect(await found(sevens, { start: 2_000, limit: 20 })).toEqual({ count, ids: [] })
    const capacity = (id: number) => ids.indexOf(id) % 7
    const largest = [...matching].sort((one, other) => capacity(other) - capacity(one) || one - other)
    expect(await found(sevens, { start: 100, limit: 200, sort: '-bk_capacity' })).toEqual({
      count,
      ids: largest.slice(100, 300),
    })
    expect(await found({ bk_set_name: { $regex: 'no such' } }, { start: 0, limit: 20 })).toEqual({ count: 0, ids: [] })
    expect((await found({ bk_set_name: { $regex: '^set' } }, { start: 0, limit: 1 })).count).toBe(many)
  })

  it('finds hosts by a pattern on any number of sets, and on the area with the id 0', async () => {
    const [first, last] = [ids[0] as number, ids.at(-1) as number]
    for (const set of [first, last]) await putHost(server, await putModule(server, set))
    const sets = async (pattern: string) => {
      const condition = [
        { ...entry('set', [['bk_set_name', '$regex', pattern]]), fields: ['bk_set_id'] },
        entry('plat', [['bk_cloud_name', '$regex', '^default']]),
      ]
      const { info } = (await searchHosts(server, { condition })).data
      return info.flatMap((host) => host.set.map((set) => set.bk_set_id))
    }
    expect(await sets('set 1?0')).toEqual([first, last])
    expect(await sets('0000$')).toEqual([last])
    expect(await sets('0001$')).toEqual([])
  })
})
