import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { makeHost, makeShop, putHosts, type Shop, searchHosts } from '../../testing/hosts.ts'
import { entry, infoOf, runQuery, saveQuery } from '../../testing/queries.ts'

/** Going through some thousands of hosts page by page while others come, move and go. */
eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let steady: number[]
  let restless: number[]
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
    const ids = (await putHosts(server, shop.web, 3_000)).map((host) => host.id)
    steady = ids.filter((_, index) => index % 3 !== 0)
    restless = ids.filter((_, index) => index % 3 === 0)
  })
  afterAll(() => server.close())

  /** Hosts that leave the module, some of them the business and the world, and new ones, until told to stop. */
  async function stir(isDone: () => boolean): Promise<number> {
    let rounds = 0
    const move = (where: string, hosts: number[], more: object = {}) =>
      server.call('POST', `/hosts/modules${where}`, { bk_biz_id: shop.business, bk_host_id: hosts, ...more })
    for (; !isDone() && restless.length > 0; rounds++) {
      // From all over the ids, so that pages before and behind the reader change.
      const some = Array.from({ length: 6 }, (_, index) => restless.splice((index * 97) % restless.length, 1)[0])
      const [back, gone] = [some.slice(0, 3), some.slice(3)].map((each) => each.filter((id) => id !== undefined))
      await move('/idle', [...(back ?? []), ...(gone ?? [])])
      await move('/resource', gone ?? [])
      await server.call('DELETE', '/hosts/batch', { bk_host_id: gone })
      await makeHost(server, { business: shop.business, modules: [shop.web] })
      await move('', back ?? [], { bk_module_id: [shop.web] })
    }
    return rounds
  }

  async function readThrough(page: (after: number) => Promise<number[]>): Promise<number[]> {
    const seen: number[] = []
    for (let last = 0; ; ) {
      const ids = await page(last)
      if (ids.length === 0) return seen
      seen.push(...ids)
      last = ids.at(-1) as number
    }
  }

  const limit = 100
  const ways: Record<string, () => Promise<(after: number) => Promise<number[]>>> = {
    'a search': async () => async (after) => {
      const { data } = await searchHosts(server, { bk_biz_id: shop.business, page: { after, limit } })
      return data.info.map((row) => row.host.bk_host_id as number)
    },
    'a saved query': async () => {
      const inWeb = entry('module', [['bk_module_name', '$eq', 'web']])
      const id = await saveQuery(server, shop.business, infoOf(inWeb, entry('host', [], ['bk_host_name'])))
      return async (after) => {
        const { data } = await runQuery(server, shop.business, id, { after, limit })
        return data.info.map((row) => row.host.bk_host_id as number)
      }
    },
    'a query that is not saved': async () => async (after) => {
      const info = infoOf(entry('host', [], ['bk_host_name']))
      const path = `/userapi/preview/${shop.business}?after=${after}`
      const { data } = await server.call<{ info: { host: { bk_host_id: number } }[] }>('POST', path, { info, limit })
      return data.info.map((row) => row.host.bk_host_id)
    },
  }
  it.each(Object.keys(ways))('shows by %s no host twice, and every one that was there throughout', async (way) => {
    const page = await (ways[way] as (typeof ways)[string])()
    let done = false
    const stirring = stir(() => done)
    const seen = await readThrough(page).finally(() => {
      done = true
    })
    expect(await stirring).toBeGreaterThan(2)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    const shown = new Set(seen)
    expect(steady.filter((id) => !shown.has(id))).toEqual([])
  })
})
