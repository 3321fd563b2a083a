import { expect, it } from 'vitest'
import { entries, netOf } from '../../packages/server/src/testing/data/entries.ts'
import { makeHosts, makeShop } from '../../packages/server/src/testing/data/hosts.ts'
import { entry, infoOf, runQuery, saveQuery } from '../../packages/server/src/testing/data/queries.ts'
import { subscribe } from '../../packages/server/src/testing/data/subscriptions.ts'
import { type EngineName, makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { spawnServer } from '../../packages/server/src/testing/process.ts'
import { startReceiver } from '../../packages/server/src/testing/servers/receiver.ts'

it.each<EngineName>(['sqlite', 'postgres'])(
  'killed at any moment, a process on %s tells of each host that entered or left a query once, in order',
  async (engine) => {
    const store = await makeStore(engine)
    const receiver = await startReceiver()
    const before = await startServer(engine, { store })
    const shop = await makeShop(before)
    const hosts = await makeHosts(before, { business: shop.business, modules: [shop.web] }, Array(20).fill({}))
    const query = await saveQuery(before, shop.business, infoOf(entry('host', [['operator', '$eq', 'amy']])))
    await subscribe(before, receiver, { subscription_form: `customquery:${query}` })
    // On PostgreSQL another process continues; otherwise the restarted one does.
    if (engine === 'sqlite') await before.close()

    for (let round = 0; round < 2; round++) {
      const server = await spawnServer(store)
      const seen = receiver.requests.length
      const edits = hosts.map((host, nth) => {
        const operator = (nth + round) % 2 === 0 ? 'amy' : 'bob'
        return server.call('PUT', '/hosts/batch', { bk_host_id: `${host}`, operator }).catch(() => undefined)
      })
      await receiver.received(seen + 1 + 3 * round)
      await server.end('SIGKILL')
      await Promise.all(edits)
    }

    const after = engine === 'sqlite' ? await startServer(engine, { store }) : before
    const { data } = await runQuery(after, shop.business, query)
    const result = data.info.map((row) => row.host.bk_host_id as number).sort((a, b) => a - b)
    await expect.poll(() => netOf(entries(receiver.requests))).toEqual(result)
    await after.close()
    await receiver.close()
    store.remove()
  },
  60_000,
)
