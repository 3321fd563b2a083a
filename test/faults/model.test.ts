import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeBusiness, setBody } from '../../packages/server/src/testing/data/factories.ts'
import { makeStore, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { makeDisk } from './disk.ts'

it('does not cache a model of a group commit that a full disk has rolled back', async () => {
  const disk = makeDisk()
  const store = await makeStore('sqlite')
  const dataDir = join(disk.path, 'data')
  mkdirSync(dataDir)
  const server = await startServer('sqlite', { store: { ...store, flags: ['--port=0', `--data-dir=${dataDir}`] } })
  try {
    const business = await makeBusiness(server)
    const createSet = (more: object = {}) => server.call('POST', `/set/${business}`, setBody(business, { ...more }))
    let refused = 0
    for (let round = 0; refused < 3 && round < 100; round++) {
      const [lost, kept] = [`lost_${round}`, `kept_${round}`]
      expect(await createSet()).toMatchObject({ result: true })
      disk.fill(process.pid)
      const [attribute, set] = await inOneGroup(server, [() => createAttribute(server, lost), () => createSet()])
      disk.free(process.pid)
      // The write-ahead log may have free space left, so such a commit may succeed.
      if (attribute?.result || set?.result) continue
      refused++

      await expect.poll(async () => (await createAttribute(server, kept)).result, { timeout: 5_000 }).toBe(true)
      const names = await attributesOf(server)
      expect([names.includes(kept), names.includes(lost)]).toEqual([true, false])
      expect(await createSet({ [kept]: 'x' })).toMatchObject({ result: true, data: { [kept]: 'x' } })
      const other = await createSet({ [lost]: 'x' })
      expect(other.data ?? {}).not.toHaveProperty(lost)
    }
    expect(refused).toBe(3)
  } finally {
    await server.close()
    disk.remove()
    store.remove()
  }
}, 60_000)

/** Requests whose changes wait for the same turn: they share one commit. */
async function inOneGroup<T>({ service }: TestServer, requests: readonly (() => Promise<T>)[]): Promise<T[]> {
  const sent: Promise<T>[] = []
  await service.storage.change({ user: 'admin', account: '0', requestId: '' }, async () => {
    for (const send of requests) {
      sent.push(send())
      await pause(100)
    }
  })
  return Promise.all(sent)
}

const createAttribute = (server: TestServer, id: string) =>
  server.call('POST', '/object/attr', {
    ...{ bk_supplier_account: '0', bk_obj_id: 'set', bk_property_id: id, bk_property_name: id },
    ...{ bk_property_type: 'singlechar', bk_property_group: 'default' },
  })

async function attributesOf(server: TestServer): Promise<string[]> {
  const body = { bk_supplier_account: '0', bk_obj_id: 'set' }
  const found = await server.call<{ bk_property_id: string }[]>('POST', '/object/attr/search', body)
  return found.data.map((each) => each.bk_property_id)
}
