import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, makeBusiness } from '../../../testing/data/factories.ts'
import {
  findSubscription,
  type SubscriptionRow,
  subscribe,
  subscriptionBody,
} from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'

/** No server listens there; these tests do not cause events. */
const nowhere = { url: 'http://127.0.0.1:1/' }

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  const search = (body: unknown = {}, account = '0', biz = 0) =>
    server.call<SubscriptionRow[]>('POST', `/event/subscribe/search/${account}/${biz}`, body)
  const names = async (body: unknown, account: string) =>
    (await search(body, account)).data.map((row) => row.subscription_name)

  it('subscribing answers id and secret; the list has all other fields but not the secret', async () => {
    const { id, secret } = await subscribe(server, nowhere, { subscription_name: 'whole' }, business)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { data } = await search({}, '0', business)
    expect(data).toEqual([
      {
        subscription_id: id,
        subscription_name: 'whole',
        system_name: 'test',
        callback_url: nowhere.url,
        confirm_mode: 'httpstatus',
        confirm_pattern: '200',
        subscription_form: 'setcreate,setupdate,setdelete',
        filter: null,
        filter_problem: '',
        timeout: 10,
        time_out: 10,
        parallel: 1,
        format: 'bk-cmdb',
        batch: null,
        operator: 'admin',
        last_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/),
        bk_biz_id: business,
        bk_supplier_account: '0',
        statistics: { total: 0, failure: 0 },
        state: 'active',
        state_reason: '',
        position: expect.any(Number),
        lag: expect.any(Number),
        waiting: 0,
        dead_letters: 0,
        bk_revision: 1,
      },
    ])
  })

  it('has defaults: httpstatus 200 within 10 seconds, one event at a time', async () => {
    const { data } = await server.call<{ subscription_id: number }>('POST', '/event/subscribe/0/0', {
      subscription_name: 'short',
      callback_url: '127.0.0.1:1',
      subscription_form: ' hostcreate, setcreate ,hostcreate,',
    })
    expect(await findSubscription(server, data.subscription_id)).toMatchObject({
      system_name: '',
      callback_url: '127.0.0.1:1',
      confirm_mode: 'httpstatus',
      confirm_pattern: '200',
      subscription_form: 'hostcreate,setcreate',
      timeout: 10,
      time_out: 10,
      parallel: 1,
      format: 'bk-cmdb',
      batch: null,
    })
  })

  it('accepts time_out for timeout, a number as status, and a secret chosen by the caller', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const sent = { timeout: undefined, time_out: 300, confirm_pattern: 204, secret }
    const subscribed = await subscribe(server, nowhere, sent)
    expect(subscribed.secret).toBe(secret)
    expect(await findSubscription(server, subscribed.id)).toMatchObject({ timeout: 300, confirm_pattern: '204' })
  })

  it('replacing changes the whole subscription and keeps its id', async () => {
    const { id, path } = await subscribe(server, nowhere, {
      confirm_mode: 'regular',
      confirm_pattern: 'ok',
      timeout: 7,
      parallel: 32,
      format: 'cloudevents',
      batch: { max: 500, wait_ms: 10_000 },
    })
    const body = { subscription_name: 'replaced', callback_url: 'http://127.0.0.1:2/', subscription_form: 'bizdelete' }
    expect((await server.call('PUT', path, body, { BK_User: 'admin' })).data).toBe('success')
    expect(await findSubscription(server, id)).toMatchObject({
      ...body,
      system_name: '',
      confirm_mode: 'httpstatus',
      confirm_pattern: '200',
      timeout: 10,
      parallel: 1,
    })
  })

  it('unsubscribing twice fails the second time', async () => {
    const { path } = await subscribe(server, nowhere)
    expect((await server.call('DELETE', path, {})).data).toBe('success')
    expect(await server.call('DELETE', path, {})).toMatchObject({ status: 404, bk_error_code: 1199019 })
    expect(await server.call('GET', `${path}/attempts`)).toMatchObject({ status: 404, bk_error_code: 1199019 })
  })

  it('is listed by id by default, in pages of any size; business 0 lists the whole account', async () => {
    const account = 'listed'
    const own = async (biz: number, subscription_name: string, system_name: string) =>
      server.call('POST', `/event/subscribe/${account}/${biz}`, {
        ...subscriptionBody(nowhere.url, { subscription_name, system_name }),
      })
    const made = await server.call<{ bk_biz_id: number }>('POST', `/biz/${account}`, { bk_biz_name: 'listed' })
    const biz = made.data.bk_biz_id
    for (const [index, name] of ['b', 'c', 'a'].entries()) await own(index === 1 ? biz : 0, name, index < 2 ? 'x' : 'y')
    expect(await names({}, account)).toEqual(['b', 'c', 'a'])
    expect(await names({ page: { start: 1, limit: 1 } }, account)).toEqual(['c'])
    expect(await names({ page: { limit: 1_000_000 } }, account)).toEqual(['b', 'c', 'a'])
    expect(await names({ page: { sort: 'subscription_name' } }, account)).toEqual(['a', 'b', 'c'])
    expect(await names({ page: { sort: '-system_name,-subscription_id' } }, account)).toEqual(['a', 'c', 'b'])
    expect(await names({ page: { start: 5 } }, account)).toEqual([])
    expect((await search({}, account, biz)).data.map((row) => row.subscription_name)).toEqual(['c'])
    expect(await names({}, 'stranger')).toEqual([])
  })

  it('rotating answers a new secret; pausing is shown', async () => {
    const { id, path, secret } = await subscribe(server, nowhere)
    const rotated = await server.call<{ secret: string }>('POST', `${path}/secret`, {})
    expect(rotated.data.secret).toMatch(/^whsec_/)
    expect(rotated.data.secret).not.toBe(secret)
    expect((await server.call('POST', `${path}/pause`)).data).toBe('success')
    expect(await findSubscription(server, id)).toMatchObject({ state: 'paused', state_reason: 'paused by admin' })
    expect((await server.call('POST', `${path}/resume`)).data).toBe('success')
    expect(await findSubscription(server, id)).toMatchObject({ state: 'active' })
  })

  it('every change is audited, without secrets or credentials in URLs', async () => {
    const url = 'http://amy:hunter2@127.0.0.1:1/in?token=letmein&x=1'
    const { id, path, secret } = await subscribe(server, { url })
    await server.call('PUT', path, subscriptionBody(url, { subscription_name: 'audited' }))
    await server.call('PUT', path, subscriptionBody(url, { subscription_name: 'audited' }))
    const rotated = await server.call<{ secret: string }>('POST', `${path}/secret`, {})
    for (const verb of ['pause', 'pause', 'resume', 'resume']) await server.call('POST', `${path}/${verb}`)
    await server.call('DELETE', path)
    const { data } = await findRecords(server, { op_target: 'subscription', inst_id: id })
    expect(data.info.map((row) => [row.op_desc, row.op_type])).toEqual([
      ['create subscription', 1],
      ['update subscription', 2],
      ['rotate subscription secret', 2],
      ['pause subscription', 2],
      ['resume subscription', 2],
      ['delete subscription', 3],
    ])
    expect(data.info[1]?.content.cur_data).toMatchObject({
      subscription_name: 'audited',
      callback_url: 'http://***@127.0.0.1:1/***',
    })
    const written = JSON.stringify(data)
    for (const hidden of [secret, rotated.data.secret, 'hunter2', 'letmein']) expect(written).not.toContain(hidden)
  })
})
