import { afterAll, beforeAll, expect, it } from 'vitest'
import { putLevel } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putAttribute } from '../../../testing/inspect/rows.ts'
import { modelOf } from '../../model/index.ts'
import { eventNames } from './names.ts'

interface Entry {
  event_name: string
  bk_resource: string
  bk_obj_id: string
  bk_obj_name: string
  sample: { data: [{ cur_data: Record<string, unknown> | null; pre_data: Record<string, unknown> | null }] } & Record<
    string,
    unknown
  >
}

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    await putLevel(server, 'region')
    await putAttribute(server, 'region', { attribute_id: 'rank', type: 'int' })
  })
  afterAll(() => server.close())
  const catalogue = async (headers?: Record<string, string>) =>
    (await server.call<Entry[]>('GET', '/event/catalogue', undefined, headers)).data
  const entry = (entries: readonly Entry[], name: string) => entries.find((each) => each.event_name === name)

  it('lists every event that can be subscribed to, for any caller', async () => {
    const entries = await catalogue({ BK_User: 'bob' })
    const model = await modelOf(server.service.storage.read, '0')
    expect(entries.map((each) => each.event_name)).toEqual(eventNames(model))
  })

  it('shows sample bodies with the attributes of the object', async () => {
    const entries = await catalogue()
    const created = entry(entries, 'regioncreate')
    expect(created).toMatchObject({
      bk_resource: 'region',
      bk_obj_id: 'region',
      sample: { event_type: 'instdata', action: 'create', obj_type: 'region', bk_supplier_account: '0' },
    })
    expect(created?.sample.data).toMatchObject([{ cur_data: { bk_inst_id: 2, rank: 1 }, pre_data: null }])
    expect(Object.keys(created?.sample ?? {}).toSorted()).toEqual(
      [
        ...['action', 'action_time', 'bk_supplier_account', 'data', 'distribution_id', 'event_type', 'obj_type'],
        ...['request_id', 'request_time', 'subscription_id', 'txn_id', 'revision', 'position'],
      ].toSorted(),
    )
    expect(entry(entries, 'setdelete')?.sample.data[0].cur_data).toBeNull()
    expect(entry(entries, 'setupdate')?.sample.data[0].pre_data).toMatchObject({ bk_set_env: '1', bk_capacity: 1 })
    expect(entry(entries, 'hostcreate')?.sample.data[0].cur_data).toMatchObject({ bk_host_id: 5, bk_cpu: 1 })
    expect(entry(entries, 'moduletransfer')).toMatchObject({
      bk_resource: 'host_relation',
      sample: { event_type: 'relation', obj_type: 'moduletransfer' },
    })
    expect(entry(entries, 'hostidentifier')).toMatchObject({
      bk_resource: 'host_identifier',
      sample: { event_type: 'instdata', obj_type: 'hostidentifier' },
    })
  })

  it('samples have the same keys as real events', async () => {
    const made = await server.call('POST', '/biz/0', { bk_biz_name: 'shop', bk_biz_maintainer: 'amy' })
    const sample = entry(await catalogue(), 'bizcreate')?.sample.data[0].cur_data ?? {}
    expect(Object.keys(sample).toSorted()).toEqual(Object.keys(made.data).toSorted())
  })

  it('names objects in the caller’s language', async () => {
    expect(entry(await catalogue(), 'setcreate')?.bk_obj_name).toBe('Set')
    expect(entry(await catalogue({ HTTP_BLUEKING_LANGUAGE: 'zh-cn' }), 'setcreate')?.bk_obj_name).toBe('集群')
  })
})
