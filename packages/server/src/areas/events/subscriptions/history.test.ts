import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeHost, makeShop } from '../../../testing/data/hosts.ts'
import { type AttemptRow, subscribe } from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { type Receiver, startReceiver } from '../../../testing/servers/receiver.ts'

type About = AttemptRow & { subscription_id: number; subscription_name: string; event_name: string }

eachEngine((engine) => {
  let server: TestServer
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
    server = await startServer(engine)
  })
  afterAll(async () => {
    await server.close()
    await receiver.close()
  })
  const about = (path: string, headers: Record<string, string> = {}) =>
    server.call<About[]>('GET', `/event/attempts/${path}`, undefined, headers)

  it('lists the pushes about an instance, of every subscription, newest first', async () => {
    const { business, web } = await makeShop(server)
    const form = 'hostcreate,hostupdate,moduletransfer,hostidentifier'
    const all = await subscribe(server, receiver, { subscription_form: form })
    const own = await subscribe(server, receiver, { subscription_form: 'hostcreate' }, business)
    const [host, other] = [await makeHost(server, { business, modules: [web] }), await makeHost(server)]
    await server.call('PUT', '/hosts/batch', { bk_host_id: host, bk_host_name: 'renamed' })
    const sent = async () => (await about(`0/host/${host}`)).data
    const names = async (id: number) =>
      (await sent()).filter((each) => each.subscription_id === id).map((each) => each.event_name)
    await expect.poll(() => names(all.id)).toHaveLength(5)
    expect((await names(all.id)).slice(0, 2)).toEqual(['hostidentifier', 'hostupdate'])
    await expect.poll(() => names(own.id)).toEqual(['hostcreate'])
    const rows = await sent()
    expect(rows.map((row) => row.time)).toEqual(
      rows
        .map((row) => row.time)
        .toSorted()
        .toReversed(),
    )
    expect(rows.every((row) => row.result === 'confirmed' && row.http_status === 200)).toBe(true)
    await expect.poll(async () => (await about(`0/host/${other}`)).data.length).toBe(3)
    expect((await about(`0/set/${host}`)).data).toEqual([])
    expect((await about(`elsewhere/host/${host}`)).data).toEqual([])
  })

  it('is empty for a missing instance, and refuses invalid ids and callers without the event privilege', async () => {
    for (const path of ['0/host/999999', '0/nothing/1', `0/${encodeURIComponent("' OR 1=1")}/1`]) {
      expect(await about(path), path).toMatchObject({ result: true, data: [] })
    }
    for (const id of ['x', '0', '-1', '1.5', '9'.repeat(30)]) {
      expect(await about(`0/host/${id}`), id).toMatchObject({ status: 400, bk_error_code: 1199009 })
    }
    expect(await about('0/host/1', { BK_User: 'amy' })).toMatchObject({ status: 403, bk_error_code: 9900403 })
  })
})
