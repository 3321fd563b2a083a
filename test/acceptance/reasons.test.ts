import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, makeBusiness, makeSet } from '../../packages/server/src/testing/data/factories.ts'
import { subscribe } from '../../packages/server/src/testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { startReceiver } from '../../packages/server/src/testing/servers/receiver.ts'

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  const rename = (set: number, name: string, reason: string) =>
    server.call(
      'PUT',
      `/set/${business}/${set}`,
      { bk_biz_id: business, bk_set_name: name },
      { 'x-change-reason': reason },
    )

  it('is stored with the change, searchable, and sent in events with revision and position', async () => {
    const receiver = await startReceiver(() => ({}))
    await subscribe(server, receiver, { subscription_form: 'setupdate' })
    const set = await makeSet(server, business)
    const reason = '扩容：100% 完成 CHG-17'
    expect(await rename(set, 'renamed', encodeURIComponent(reason))).toMatchObject({ result: true })

    const { data } = await findRecords(server, { op_target: 'set', op_reason: { $regex: 'CHG-17' } })
    expect(data.info).toMatchObject([{ inst_id: set, op_reason: reason, revision: 2 }])
    expect((await findRecords(server, { op_target: 'set', inst_id: set, op_type: 'add' })).data.info).toMatchObject([
      { op_reason: '', revision: 1 },
    ])
    await expect.poll(() => receiver.requests.length).toBe(1)
    const body = JSON.parse(receiver.requests[0]?.body ?? '')
    const [stored] = (await findRecords(server, { op_target: 'set', inst_id: set, op_type: 'update' })).data.info
    expect(body).toMatchObject({ reason, revision: 2, position: stored?.position })
    const watched = await server.call<{ bk_events: unknown[] }>('POST', '/event/watch/resource/set', {
      bk_start_from: 0,
      bk_event_types: ['update'],
    })
    expect(watched.data.bk_events.at(-1)).toMatchObject({ reason, revision: 2, position: stored?.position })
    await receiver.close()
  })

  it('is limited to 500 characters of percent-encoded text', async () => {
    const set = await makeSet(server, business)
    const refused = { status: 400, bk_error_code: 1199006 }
    const long = '好'.repeat(500)
    expect(await rename(set, 'with a long reason', encodeURIComponent(long))).toMatchObject({ result: true })
    expect(await rename(set, 'longer', encodeURIComponent(`${long}!`))).toMatchObject(refused)
    expect(await rename(set, 'not encoded', '50% more')).toMatchObject(refused)
    expect(await rename(set, 'control', encodeURIComponent('a\u0007b'))).toMatchObject(refused)
    expect(await rename(set, 'line', encodeURIComponent('a\nb'))).toMatchObject(refused)
    expect(await rename(set, 'half', '%ff%fe')).toMatchObject(refused)
    expect(await rename(set, 'none given', '  ')).toMatchObject({ result: true })
    const { data } = await findRecords(server, { op_target: 'set', inst_id: set, op_type: 'update' })
    expect(data.info.map((row) => row.op_reason)).toEqual([long, ''])
  })
})
