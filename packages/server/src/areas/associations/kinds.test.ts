import type { associations } from '@mainline/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { declare } from '../../testing/data/associations.ts'
import { findRecords } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'

type Kinds = { count: number; info: associations.KindRecord[] }

const create = (server: TestServer, body: object) =>
  server.call<associations.KindRecord>('POST', '/topo/association/type/action/create', body)
const search = (server: TestServer, body: object = {}, headers: Record<string, string> = {}) =>
  server.call<Kinds>('POST', '/topo/association/type/action/search', body, headers)

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  describe('association kinds', () => {
    it('every account has the six built-in ones, in the language of the caller', async () => {
      const { data } = await search(server, { condition: { ispre: true } })
      expect(data.count).toBe(6)
      expect(data.info.map((kind) => kind.bk_asst_id)).toEqual([
        'belong',
        'group',
        'bk_mainline',
        'run',
        'connect',
        'default',
      ])
      expect(data.info[3]).toMatchObject({ src_des: 'runs on', dest_des: 'runs', direction: 'src_to_dest' })
      const chinese = await search(server, {}, { HTTP_BLUEKING_LANGUAGE: 'zh-cn' })
      expect(chinese.data.info[3]).toMatchObject({ src_des: '运行于', dest_des: '运行' })
      const other = await search(server, {}, { HTTP_BLUEKING_SUPPLIER_ID: 'other' })
      expect(other.data.info.map((kind) => kind.bk_supplier_account)).toEqual(Array(6).fill('other'))
    })

    it('users create, change and delete their own kinds, and the audit log records it', async () => {
      const { data } = await create(server, { bk_asst_id: 'backup', bk_asst_name: 'Backup', src_des: 'backs up' })
      expect(data).toMatchObject({ bk_asst_id: 'backup', direction: 'none', dest_des: '', ispre: false })
      expect(data.id).toBeGreaterThan(100)
      const path = `/topo/association/type/${data.id}/action`
      expect((await server.call('PUT', `${path}/update`, { dest_des: 'is backed up by' })).data).toBe('success')
      const { data: found } = await search(server, { condition: { bk_asst_id: 'backup' } })
      expect(found).toEqual({ count: 1, info: [{ ...data, dest_des: 'is backed up by' }] })
      expect((await server.call('DELETE', `${path}/delete`)).data).toBe('success')
      expect((await server.call('DELETE', `${path}/delete`)).bk_error_code).toBe(1199019)
      const { info } = (await findRecords(server, { op_target: 'model' })).data
      expect(info.map((row) => row.op_desc).filter((each) => each.includes('association kind'))).toEqual([
        'create association kind',
        'update association kind',
        'delete association kind',
      ])
    })

    it.each([
      ['an identifier that exists', { bk_asst_id: 'Connect' }, 1199014],
      ['an identifier with a blank', { bk_asst_id: 'a b' }, 1199006],
      ['no identifier', { bk_asst_name: 'nothing' }, 1199010],
      ['a direction that is none', { bk_asst_id: 'odd', direction: 'sideways' }, 1199006],
      ['a text that is too long', { bk_asst_id: 'long', bk_asst_name: 'x'.repeat(257) }, 1199015],
    ])('%s is refused', async (_, body, code) => {
      expect((await create(server, body)).bk_error_code).toBe(code)
    })

    it('built-in kinds and kinds in use cannot be changed or deleted', async () => {
      const path = '/topo/association/type'
      expect((await server.call('DELETE', `${path}/1/action/delete`)).bk_error_code).toBe(1101051)
      const renamed = await server.call('PUT', `${path}/1/action/update`, { bk_asst_name: 'x' })
      expect(renamed.bk_error_code).toBe(1101051)
      const { data } = await create(server, { bk_asst_id: 'used' })
      await declare(server, 'bk_switch', 'bk_router', { bk_asst_id: 'used' })
      const refused = await server.call('DELETE', `${path}/${data.id}/action/delete`)
      expect(refused).toMatchObject({ bk_error_code: 1101060, status: 409 })
      expect(refused.bk_error_msg).toContain('bk_switch_used_bk_router')
      const batch = await server.call('POST', `${path}/action/search/batch`, { asst_ids: ['used', 'nosuch'] })
      expect(batch.data).toMatchObject({
        associations: [
          { bk_asst_id: 'used', assts: [{ bk_obj_asst_id: 'bk_switch_used_bk_router' }] },
          { bk_asst_id: 'nosuch', assts: [] },
        ],
      })
    })
  })

  describe('associations of objects', () => {
    const call = <Data>(how: string, body: object) =>
      server.call<Data>(how === 'update' ? 'PUT' : 'POST', `/object/association/action/${how}`, body)
    const found = async (condition: object) =>
      (await call<associations.ObjectAssociationRecord[]>('search', { condition })).data

    it('those of the main line are derived from the levels', async () => {
      const records = await found({ bk_asst_id: 'bk_mainline' })
      expect(records.map((each) => each.bk_obj_asst_id).toSorted()).toEqual([
        'host_bk_mainline_module',
        'module_bk_mainline_set',
        'set_bk_mainline_biz',
      ])
      expect(records.every((each) => each.ispre && each.id < 0)).toBe(true)
    })

    it('are named by source, kind and target unless named otherwise, and found by any field', async () => {
      const made = await declare(server, 'bk_router', 'host', { mapping: '1:n', bk_obj_asst_name: 'serves' })
      expect(made).toMatchObject({
        bk_obj_asst_id: 'bk_router_connect_host',
        mapping: '1:n',
        on_delete: 'none',
        ispre: false,
      })
      expect(await found({ bk_obj_asst_name: 'serves' })).toEqual([made])
      expect(await found({ bk_obj_id: 'bk_router', bk_asst_obj_id: { $in: ['host', 'set'] } })).toEqual([made])
      const other = await declare(server, 'bk_router', 'host', { bk_asst_id: 'run', bk_obj_asst_id: 'anyhow' })
      expect(other).toMatchObject({ bk_obj_asst_id: 'anyhow', mapping: 'n:n' })
    })

    it('can change only their name, kind and deletion rule', async () => {
      const { id } = await declare(server, 'bk_apache', 'bk_tomcat')
      const update = (body: object) => server.call('PUT', `/object/association/${id}/action/update`, body)
      expect((await update({ bk_obj_asst_name: 'fronts', bk_asst_id: 'run', on_delete: 'delete_dest' })).result).toBe(
        true,
      )
      expect(await found({ id })).toMatchObject([
        {
          bk_obj_asst_name: 'fronts',
          bk_asst_id: 'run',
          on_delete: 'delete_dest',
          bk_obj_asst_id: 'bk_apache_connect_bk_tomcat',
        },
      ])
      expect((await update({ mapping: '1:1' })).bk_error_code).toBe(1101047)
      expect((await update({ mapping: 'n:n', bk_obj_id: '' })).result).toBe(true)
      expect((await update({ bk_asst_id: 'nosuch' })).bk_error_code).toBe(1199011)
      const unknown = await server.call('PUT', '/object/association/999/action/update', {})
      expect(unknown.bk_error_code).toBe(1101046)
    })

    it.each([
      ['twice', {}, 1101038],
      ['of an unknown source', { bk_obj_id: 'nosuch' }, 1199011],
      ['of an unknown target', { bk_asst_obj_id: 'nosuch' }, 1199011],
      ['of an unknown kind', { bk_asst_id: 'nosuch' }, 1199011],
      ['of the kind of the levels', { bk_asst_id: 'bk_mainline' }, 1101082],
      ['without a target', { bk_asst_obj_id: undefined }, 1199010],
      ['with an unknown mapping', { mapping: 'n:1' }, 1199006],
      ['under a name that exists', { bk_asst_id: 'run', bk_obj_asst_id: 'set_bk_mainline_biz' }, 1199014],
      ['that would delete hosts', { bk_asst_obj_id: 'host', on_delete: 'delete_dest' }, 1199006],
      ['that would delete sets', { bk_obj_id: 'set', on_delete: 'delete_src' }, 1199006],
    ])('%s it is refused', async (_, more, code) => {
      const body = { bk_obj_id: 'bk_switch', bk_asst_obj_id: 'bk_load_balance', bk_asst_id: 'group' }
      await call('create', body)
      expect((await call('create', { ...body, ...more })).bk_error_code).toBe(code)
    })

    it('prevent the deletion of their objects', async () => {
      const object = { bk_obj_id: 'rack', bk_obj_name: 'Rack', bk_classification_id: 'bk_network' }
      const { data: rack } = await server.call('POST', '/object', object)
      const { id } = await declare(server, 'bk_switch', 'rack')
      const refused = await server.call('DELETE', `/object/${rack.id}`)
      expect(refused).toMatchObject({ bk_error_code: 1101053, status: 409 })
      expect((await server.call('DELETE', `/object/association/${id}/action/delete`)).result).toBe(true)
      expect((await server.call('DELETE', `/object/${rack.id}`)).result).toBe(true)
    })
  })
})
