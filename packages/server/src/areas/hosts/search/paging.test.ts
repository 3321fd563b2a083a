import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeHost, makeShop, putHosts, type Shop, searchHosts } from '../../../testing/data/hosts.ts'
import { entry, infoOf, runQuery, saveQuery } from '../../../testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'

/** Reads some thousands of hosts page by page while others are added, moved and deleted. */
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

  /** Keeps moving hosts out of the module, some of them into the pool or deleted, and adds new ones, until stopped. */
  async function stir(isDone: () => boolean, onRound: () => void): Promise<void> {
    const move = (where: string, hosts: number[], more: object = {}) =>
      server.call('POST', `/hosts/modules${where}`, { bk_biz_id: shop.business, bk_host_id: hosts, ...more })
    while (!isDone() && restless.length > 0) {
      // Spread over all ids, so that pages before and behind the reader change.
      const some = Array.from({ length: 6 }, (_, index) => restless.splice((index * 97) % restless.length, 1)[0])
      const [back, gone] = [some.slice(0, 3), some.slice(3)].map((each) => each.filter((id) => id !== undefined))
      await move('/idle', [...(back ?? []), ...(gone ?? [])])
      await move('/resource', gone ?? [])
      await server.call('DELETE', '/hosts/batch', { bk_host_id: gone })
      await makeHost(server, { business: shop.business, modules: [shop.web] })
      await move('', back ?? [], { bk_module_id: [shop.web] })
      onRound()
    }
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
  it.each(Object.keys(ways))('shows with %s no host twice, and every host that matched throughout', async (way) => {
    const page = await (ways[way] as (typeof ways)[string])()
    let [done, rounds, pages] = [false, 0, 0]
    const stirring = stir(
      () => done,
      () => rounds++,
    )
    // Ensures that each of the first pages is read after another round of moves, whatever the speed of reads and moves.
    const betweenRounds = async (after: number) => {
      if (pages++ < 4) await expect.poll(() => rounds, { interval: 5 }).toBeGreaterThanOrEqual(pages)
      return page(after)
    }
    const seen = await readThrough(betweenRounds).finally(() => {
      done = true
    })
    await stirring
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    const shown = new Set(seen)
    expect(steady.filter((id) => !shown.has(id))).toEqual([])
  })
})
