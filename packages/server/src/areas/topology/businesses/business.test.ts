import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findRecords, makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putHost, putModule, refuses, stored } from '../../../testing/inspect/rows.ts'

type Found = { count: number; info: Record<string, unknown>[] }
type Headers = Record<string, string>
const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }
const [amy, bob] = [{ BK_User: 'amy' }, { BK_User: 'bob' }]

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  const create = (body: unknown, headers?: Headers) => server.call('POST', '/biz/0', body, headers)
  const update = (id: number, body: unknown, headers?: Headers) => server.call('PUT', `/biz/0/${id}`, body, headers)
  const archive = (id: number, headers?: Headers) => server.call('PUT', `/biz/status/disabled/0/${id}`, {}, headers)
  const recover = (id: number, headers?: Headers) => server.call('PUT', `/biz/status/enable/0/${id}`, {}, headers)
  const remove = (id: number, headers?: Headers) => server.call('DELETE', `/biz/0/${id}`, undefined, headers)
  const search = async (condition: unknown) => (await server.call<Found>('POST', '/biz/search/0', { condition })).data
  const read = async (id: number) => (await search({ bk_biz_id: id, bk_data_status: { $exists: true } })).info[0]
  const records = async (id: number) => (await findRecords(server, { op_target: 'biz', inst_id: id })).data.info
  const refused = (code: number, saying: string, request: () => ReturnType<typeof create>) =>
    refuses(server, code, saying, request)

  describe('create', () => {
    it('answers the full record with defaults, and records it', async () => {
      const made = await create({ bk_biz_name: 'Web shop', life_cycle: '' }, { BK_User: 'admin' })
      const id = made.data.bk_biz_id as number
      expect(made).toMatchObject({ status: 200, result: true, bk_error_msg: '' })
      expect(made.data).toMatchObject({
        bk_biz_name: 'Web shop',
        bk_supplier_account: '0',
        default: 0,
        bk_data_status: 'enable',
        life_cycle: '2',
        time_zone: 'Asia/Shanghai',
        language: '1',
        bk_biz_maintainer: 'admin',
        bk_biz_productor: '',
        bk_biz_tester: '',
        bk_biz_developer: '',
        operator: '',
        creator: 'admin',
      })
      expect(await read(id)).toEqual(made.data)
      expect(await records(id)).toMatchObject([
        { op_type: 1, op_desc: 'create business', bk_biz_id: id, content: { pre_data: null, cur_data: made.data } },
      ])
    })

    it('creates its idle pool with an idle and a fault module, with an event for each', async () => {
      const id = await makeBusiness(server)
      const { nodes } = await stored(server)
      const own = nodes.find((node) => node.object_id === 'biz' && node.inst_id === id)
      const inside = nodes.filter((node) => node.business === own?.id)
      expect(inside.map(({ object_id, name, built_in }) => [object_id, name, built_in])).toEqual([
        ['set', 'idle pool', 1],
        ['module', 'idle machine', 1],
        ['module', 'fault machine', 2],
      ])
      const reader = server.service.storage.read
      const { events } = await reader
        .selectFrom('log')
        .select('events')
        .where('biz_id', '=', id)
        .executeTakeFirstOrThrow()
      const names = (JSON.parse(events) as { name: string }[]).map((event) => event.name)
      expect(names).toEqual(['bizcreate', 'setcreate', 'modulecreate', 'modulecreate'])
    })

    it('stores the sent values, user names trimmed', async () => {
      const sent = { bk_biz_name: 'Kept', time_zone: 'Europe/Berlin', language: 2, life_cycle: 1, operator: null }
      const made = await create({ ...sent, bk_biz_maintainer: ' amy , ben,,', bk_biz_tester: '小明' })
      expect(made.data).toMatchObject({
        time_zone: 'Europe/Berlin',
        language: '2',
        life_cycle: '1',
        operator: '',
        bk_biz_maintainer: 'amy,ben',
        bk_biz_tester: '小明',
      })
    })

    it.each<[wrong: string, code: number, saying: string, sent: unknown]>([
      ['no name', 1199010, "'bk_biz_name'", { bk_biz_name: undefined }],
      ['an empty name', 1199010, "'bk_biz_name'", { bk_biz_name: '' }],
      ['a name that is null', 1199010, "'bk_biz_name'", { bk_biz_name: null }],
      ['a number for a name', 1199007, "'bk_biz_name'", { bk_biz_name: 5 }],
      ['a name of 257 bytes', 1199015, '257', { bk_biz_name: 'x'.repeat(257) }],
      ['a name that is taken', 1199014, 'bk_biz_name', { bk_biz_name: 'Web shop' }],
      ['the name of the pool', 1199014, 'bk_biz_name', { bk_biz_name: 'resource pool' }],
      ['its Chinese name', 1199014, 'bk_biz_name', { bk_biz_name: '资源池' }],
      ['a zone there is not', 1199006, "'time_zone'", { time_zone: 'Mars/Olympus' }],
      ['a language there is not', 1199006, '1, 2', { language: '3' }],
      ['a stage of life there is not', 1199006, "'life_cycle'", { life_cycle: 'online' }],
      ['a list of maintainers', 1199007, "'bk_biz_maintainer'", { bk_biz_maintainer: ['amy'] }],
      ['maintainers without end', 1199015, "'bk_biz_maintainer'", { bk_biz_maintainer: 'amy,'.repeat(501) }],
      ['only commas for maintainers', 1199010, "'bk_biz_maintainer'", { bk_biz_maintainer: ',,' }],
      ['an attribute there is not', 1199011, "'colour'", { colour: 'red' }],
    ])('refuses %s', async (_, code, saying, sent) => {
      await refused(code, saying, () => create({ bk_biz_name: 'New', ...(sent as object) }))
    })
  })

  describe('update', () => {
    it('changes the sent attributes and records before and after', async () => {
      const id = await makeBusiness(server, 'Payments')
      expect((await update(id, { bk_biz_name: 'Payments 2', bk_biz_tester: 'chen' })).data).toBe('success')
      expect(await read(id)).toMatchObject({ bk_biz_name: 'Payments 2', bk_biz_tester: 'chen', language: '1' })
      const [, changed] = await records(id)
      expect(changed).toMatchObject({ op_type: 2, op_desc: 'update business' })
      expect(changed?.content.pre_data).toMatchObject({ bk_biz_name: 'Payments', bk_biz_tester: '' })
      expect(changed?.content.cur_data).toEqual(await read(id))
    })

    it('accepts a record as shown, in any language, and records nothing', async () => {
      const id = await makeBusiness(server)
      const pool = await server.call<Found>('POST', '/biz/default/0/search', {}, chinese)
      expect(pool.data.info[0]).toMatchObject({ bk_biz_name: '资源池', bk_biz_id: 1 })
      const before = await stored(server)
      expect((await update(id, await read(id))).data).toBe('success')
      expect((await update(1, pool.data.info[0], chinese)).data).toBe('success')
      const { nodes, records } = await stored(server)
      expect({ nodes, records }).toEqual({ nodes: before.nodes, records: before.records })
    })

    it.each<[wrong: string, code: number, saying: string, sent: Record<string, unknown>]>([
      ['a name that is taken', 1199014, 'bk_biz_name', { bk_biz_name: 'Web shop' }],
      ['the name of the pool', 1199014, 'bk_biz_name', { bk_biz_name: '资源池' }],
      ['no name', 1199010, "'bk_biz_name'", { bk_biz_name: '' }],
      ['no maintainers', 1199010, "'bk_biz_maintainer'", { bk_biz_maintainer: null }],
      ['a list of testers', 1199007, "'bk_biz_tester'", { bk_biz_tester: [] }],
      ['an attribute there is not', 1199011, "'colour'", { colour: 'red' }],
    ])('refuses %s', async (_, code, saying, sent) => {
      const id = await makeBusiness(server)
      await refused(code, saying, () => update(id, { operator: 'new', ...sent }))
    })
  })

  describe('archive and recover', () => {
    it('hides a business with everything in it, and frees its name', async () => {
      const id = await makeBusiness(server, 'Old shop')
      const set = await makeSet(server, id)
      expect((await archive(id)).data).toBe('success')
      expect(await search({ bk_biz_name: 'Old shop' })).toEqual({ count: 0, info: [] })
      expect((await search({ bk_biz_name: 'Old shop', bk_data_status: 'disabled' })).count).toBe(1)
      expect((await search({ $and: [{ bk_biz_name: 'Old shop' }, { bk_data_status: 'disabled' }] })).count).toBe(1)
      await refused(1199019, '', () => server.call('DELETE', `/set/${id}/${set}`))
      await refused(1199019, '', () => update(id, { operator: 'x' }))
      await refused(1199019, '', () => archive(id))
      await makeBusiness(server, 'Old shop')

      expect((await recover(id)).data).toBe('success')
      expect(await read(id)).toMatchObject({ bk_biz_name: 'Old shop(recover)', bk_data_status: 'enable' })
      await archive(id)
      await makeBusiness(server, 'Old shop(recover)')
      await recover(id)
      expect(await read(id)).toMatchObject({ bk_biz_name: 'Old shop(recover)(recover)' })
      expect((await server.call('DELETE', `/set/${id}/${set}`)).data).toBe('success')
    })

    it('records each step, starting from the result of the previous one, and none without a change', async () => {
      const id = await makeBusiness(server, 'Steps')
      await archive(id)
      await recover(id)
      await recover(id)
      await update(id, { operator: 'amy' })
      const steps = await records(id)
      expect(steps.map((step) => step.op_desc)).toEqual([
        'create business',
        'archive business',
        'recover business',
        'update business',
      ])
      expect(steps.map((step) => step.content.cur_data?.bk_data_status)).toEqual([
        'enable',
        'disabled',
        'enable',
        'enable',
      ])
      for (const [index, { content }] of steps.slice(1).entries()) {
        expect(content.pre_data).toEqual(steps[index]?.content.cur_data)
      }
      expect(steps.at(-1)?.content.cur_data).toEqual(await read(id))
    })
  })

  describe('delete', () => {
    it('deletes everything in it and records user-created instances', async () => {
      const id = await makeBusiness(server)
      const [one, two] = [await makeSet(server, id), await makeSet(server, id)]
      const module = await putModule(server, one)
      const { nodes } = await stored(server)
      expect((await remove(id)).data).toBe('success')
      expect((await stored(server)).nodes).toHaveLength(nodes.length - 7)
      expect(await read(id)).toBeUndefined()
      const { info } = (await findRecords(server, { bk_biz_id: id, op_type: 'delete' })).data
      expect(info.map((row) => [row.op_desc, row.inst_id, row.content.cur_data])).toEqual([
        ['delete module', module, null],
        ['delete set', one, null],
        ['delete set', two, null],
        ['delete business', id, null],
      ])
      await refused(1199019, '', () => remove(id))
    })

    it('also deletes an archived one, whose name is then free', async () => {
      const id = await makeBusiness(server, 'Gone')
      await archive(id)
      expect((await remove(id)).data).toBe('success')
      await refused(1199019, '', () => recover(id))
    })

    it('is refused, like archiving, while there are hosts, and always for the pool', async () => {
      const id = await makeBusiness(server)
      await putHost(server, await putModule(server, await makeSet(server, id)))
      for (const request of [remove, archive]) {
        await refused(1101030, '', () => request(id))
        await refused(1101081, '', () => request(1))
        await refused(1199019, '', () => request(999_999))
      }
      await refused(1101081, '', () => update(1, { bk_biz_name: 'Puddle' }))
      expect((await update(1, { bk_biz_developer: 'dev' })).data).toBe('success')
    })
  })

  it('lets maintainers update and administrators do the rest, by current roles', async () => {
    const id = await makeBusiness(server)
    expect((await update(id, { bk_biz_tester: 'tim' }, amy)).data).toBe('success')
    for (const user of [bob, { BK_User: 'tim' }, { BK_User: 'am' }, { BK_User: 'amy,ben' }]) {
      await refused(9900403, `needs 'topoupdate' in business ${id}`, () => update(id, { operator: 'x' }, user))
    }
    for (const user of [amy, bob]) {
      await refused(9900403, 'administrators', () => create({ bk_biz_name: 'Mine' }, user))
      for (const request of [archive, recover, remove]) {
        await refused(9900403, 'administrators', () => request(id, user))
      }
      expect((await server.call<Found>('POST', '/biz/search/0', {}, user)).data.count).toBeGreaterThan(0)
    }
    await update(id, { bk_biz_maintainer: 'bob' })
    await refused(9900403, "'amy'", () => update(id, { operator: 'x' }, amy))
    expect((await update(id, { operator: 'x' }, bob)).data).toBe('success')
  })
})
