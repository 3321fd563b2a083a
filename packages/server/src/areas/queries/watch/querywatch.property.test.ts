import fc from 'fast-check'
import { expect, it } from 'vitest'
import { entries, netOf } from '../../../testing/data/entries.ts'
import { makeHosts, makeShop } from '../../../testing/data/hosts.ts'
import { entry, infoOf, runQuery, saveQuery } from '../../../testing/data/queries.ts'
import { subscribe } from '../../../testing/data/subscriptions.ts'
import { eachEngine, makeStore, startServer } from '../../../testing/harness.ts'
import { startReceiver } from '../../../testing/servers/receiver.ts'

const hostCount = 6

/** A change of a host or of its placement. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ edit: fc.nat(hostCount - 1), operator: fc.constantFrom('amy', 'bob') }) },
  {
    weight: 4,
    arbitrary: fc.record({ move: fc.nat(hostCount - 1), to: fc.constantFrom('web' as const, 'db' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ rename: fc.constantFrom('web', 'front') }) },
)
/** Two rounds of concurrent changes. */
const happenings = fc.array(fc.array(happening, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })

eachEngine((engine) => {
  it('all events of entering and leaving add up to the current result, also with two processes', async () => {
    const store = await makeStore(engine)
    const server = await startServer(engine, { store })
    const servers = engine === 'postgres' ? [server, await startServer(engine, { store })] : [server]
    const receiver = await startReceiver()
    const shop = await makeShop(server)
    const hosts = await makeHosts(server, { business: shop.business, modules: [shop.web] }, Array(hostCount).fill({}))
    const query = await saveQuery(
      server,
      shop.business,
      infoOf(entry('module', [['bk_module_name', '$eq', 'web']]), entry('host', [['operator', '$regex', '^a']])),
    )
    await subscribe(server, receiver, { subscription_form: `customquery:${query}` })
    let turn = 0
    const call = (method: string, path: string, body: unknown) =>
      (servers[turn++ % servers.length] as typeof server).call(method, path, body)
    const happens = (what: Record<string, unknown>) => {
      if ('rename' in what) {
        return call('PUT', `/module/${shop.business}/${shop.set}/${shop.web}`, { bk_module_name: what.rename })
      }
      if ('edit' in what) {
        return call('PUT', '/hosts/batch', { bk_host_id: `${hosts[what.edit as number]}`, operator: what.operator })
      }
      const [bk_host_id, bk_module_id] = [[hosts[what.move as number]], [shop[what.to as 'web' | 'db']]]
      return call('POST', '/hosts/modules', { bk_biz_id: shop.business, bk_host_id, bk_module_id })
    }
    const result = async () => {
      const { data } = await runQuery(server, shop.business, query)
      return data.info.map((row) => row.host.bk_host_id as number).sort((a, b) => a - b)
    }
    await fc.assert(
      fc.asyncProperty(happenings, async (bursts) => {
        // A renamed set would match the query in none of the following runs.
        await happens({ rename: 'web' })
        for (const burst of bursts) await Promise.all(burst.map(happens))
        const expected = await result()
        await expect.poll(() => netOf(entries(receiver.requests)), { interval: 5 }).toEqual(expected)
      }),
      { numRuns: 12, endOnFailure: true },
    )
    expect(receiver.requests.length).toBeGreaterThan(0)
    for (const each of servers) await each.close()
    await receiver.close()
    store.remove()
  })
})
