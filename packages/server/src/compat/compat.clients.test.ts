// Requests of the 3.2 interface and of the integration tests of 3.5, and the expected answers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHost } from '../testing/data/hosts.ts'
import { makeModule } from '../testing/data/levels.ts'
import { entry, infoOf, runQuery } from '../testing/data/queries.ts'
import { type Both, type Found, failure, startBoth } from '../testing/dialects.ts'
import { eachEngine, type TestServer } from '../testing/harness.ts'

const names = ['WEB-one', 'web-two', 'db-1']
const ok = { result: true, bk_error_code: 0 }

eachEngine((engine) => {
  let both: Both
  let original: TestServer
  let business: number
  const hosts: Record<string, number> = {}
  beforeAll(async () => {
    both = await startBoth(engine)
    ;({ original, business } = both)
    for (const server of [both.strict, original]) {
      const { data: area } = await server.call('POST', '/inst/0/plat', { bk_cloud_name: 'branch' })
      const clouds = [0, 0, area.bk_inst_id as number]
      for (const [index, name] of names.entries()) {
        const attributes = { bk_host_innerip: `10.0.0.${index}`, bk_host_name: name, bk_cloud_id: clouds[index] }
        hosts[name] = await makeHost(server, { business }, attributes)
      }
    }
  })
  afterAll(() => both.close())
  const searched = async (body: unknown) => {
    const { data, ...answer } = await original.call<Found>('POST', '/hosts/search', body)
    expect(answer).toMatchObject(ok)
    return data.info.map(({ host }) => (host as Record<string, unknown>).bk_host_name).toSorted()
  }

  it('the process page is empty, as in a fresh installation', async () => {
    const path = `/proc/search/0/${business}`
    const body = { condition: { bk_biz_id: business }, page: { start: 0, limit: 10, sort: 'bk_process_id' } }
    expect(await original.call('POST', path, body)).toMatchObject({ ...ok, data: { count: 0, info: [] } })
    expect((await both.strict.call('POST', path, body)).bk_error_code).toBe(1199037)
  })

  describe('search_host', () => {
    const all = ['WEB-one', 'db-1', 'web-two']

    it.each([
      ['no address and no kind of address', { ip: { data: null, exact: 0, flag: '' } }],
      ['addresses of no kind', { ip: { data: ['10.0.0.4'], exact: 0, flag: '' } }],
      ['null in place of conditions', { condition: null }],
      ['null in place of addresses', { ip: { data: null, exact: 1, flag: 'bk_host_innerip|bk_host_outerip' } }],
    ])('treats %s as no filter', async (_, body) => {
      expect(await searched({ bk_biz_id: business, ...body })).toEqual(all)
    })

    it('answers the cloud area as a reference with its name, if requested', async () => {
      const ask = async (fields: string[]) => {
        const condition = [{ bk_obj_id: 'host', fields, condition: [] }]
        const { data } = await original.call<Found>('POST', '/hosts/search', { bk_biz_id: business, condition })
        return data.info.map(({ host }) => host as { bk_host_id: number; bk_cloud_id?: unknown })
      }
      const areas = (await ask([])).map((host) => host.bk_cloud_id)
      expect(areas).toMatchObject([
        [{ bk_inst_id: 0, bk_obj_id: 'plat', id: '0' }],
        [{ bk_inst_id: 0, bk_obj_id: 'plat', id: '0' }],
        [{ bk_inst_name: 'branch', bk_obj_id: 'plat' }],
      ])
      expect(areas[0]).toMatchObject([{ bk_inst_name: expect.stringMatching(/./) }])
      expect((await ask(['bk_host_name'])).map((host) => 'bk_cloud_id' in host)).toEqual([false, false, false])
      const [plain] = await both.ask('POST', '/hosts/search', { bk_biz_id: business })
      expect(plain.data.info[0]?.host).toMatchObject({ bk_cloud_id: 0 })
    })

    const like = (operator: string, value: unknown) => ({
      bk_biz_id: business,
      condition: [{ bk_obj_id: 'host', fields: [], condition: [{ field: 'bk_host_name', operator, value }] }],
    })

    it.each([
      ['a list', ['web', 'nothing'], ['WEB-one', 'web-two']],
      ['the lines of a text', 'DB\n two ', ['db-1', 'web-two']],
      ['characters that patterns give a meaning', ['w.b', 'd(', '['], []],
    ])('$multilike finds any of %s as a part, case-insensitively', async (_, value, found) => {
      expect(await searched(like('$multilike', value))).toEqual(found)
    })

    it.each([
      [1199010, []],
      [1199010, '\n'],
      [1199007, 5],
      [1199007, ['web', 5]],
    ])('refuses with %i $multilike with %j', async (code, value) => {
      expect(await original.call('POST', '/hosts/search', like('$multilike', value))).toMatchObject(failure(code))
    })

    it('$multilike is no operator of the document', async () => {
      expect(await both.strict.call('POST', '/hosts/search', like('$multilike', ['web']))).toMatchObject(
        failure(1199011),
      )
    })
  })

  it('$multilike is an operator of condition objects, too', async () => {
    const body = { page: { start: 0, limit: 20 }, fields: [], condition: { bk_set_name: { $multilike: ['A', 'b'] } } }
    const { data } = await original.call<Found>('POST', `/set/search/0/${business}`, body)
    expect(data.info.map((set) => set.bk_set_name)).toEqual(expect.arrayContaining(['a', 'b']))
    expect(data.info.map((set) => set.bk_set_name)).not.toContain('c')
    expect(await both.strict.call('POST', `/set/search/0/${business}`, body)).toMatchObject(failure(1199011))
  })

  it('saved queries keep unknown fields, omit them when run, and accept $multilike', async () => {
    const info = infoOf(entry('host', [['bk_host_name', '$multilike', ['web']]], ['bk_agent_status', 'bk_host_name']))
    const body = { bk_biz_id: business, name: 'from the interface', info }
    const saved = await original.call<{ id: string }>('POST', '/userapi', body)
    expect(saved).toMatchObject(ok)
    const { data } = await runQuery(original, business, saved.data.id)
    expect(data.info.map((row) => row.host)).toEqual([
      { bk_host_id: hosts['WEB-one'], bk_host_name: 'WEB-one' },
      { bk_host_id: hosts['web-two'], bk_host_name: 'web-two' },
    ])
    const detail = await original.call('GET', `/userapi/detail/${business}/${saved.data.id}`)
    expect(detail.data.info).toBe(info)
    const renamed = await original.call('PUT', `/userapi/${business}/${saved.data.id}`, { name: 'renamed', info })
    expect(renamed).toMatchObject(ok)
    expect(await both.strict.call('POST', '/userapi', body)).toMatchObject(failure(1199011))
  })

  describe('attribute groups', () => {
    it.each(['net_work-2', '0', 'x_'.repeat(32)])('are called %s', async (bk_group_id) => {
      const body = { bk_obj_id: 'set', bk_group_id, bk_group_name: `Group ${bk_group_id.slice(0, 12)}` }
      expect(await original.call('POST', '/objectatt/group/new', body)).toMatchObject(ok)
      expect(await both.strict.call('POST', '/objectatt/group/new', body)).toMatchObject(failure(1199006))
    })

    it.each(['a b', 'x'.repeat(65), '组'])('are not called %s', async (bk_group_id) => {
      const body = { bk_obj_id: 'set', bk_group_id, bk_group_name: 'No group' }
      expect(await original.call('POST', '/objectatt/group/new', body)).toMatchObject(failure(1199006))
    })

    it('empty texts for account and group of a new attribute mean the defaults', async () => {
      const attribute = {
        bk_obj_id: 'set',
        bk_property_id: 'rack_no',
        bk_property_name: 'Rack',
        bk_property_type: 'int',
      }
      const sent = { ...attribute, bk_supplier_account: '', bk_property_group: '' }
      expect(await original.call('POST', '/object/attr', sent)).toMatchObject({
        ...ok,
        data: { bk_supplier_account: '0', bk_property_group: 'default' },
      })
    })

    const place = async () => {
      const body = { bk_obj_id: 'host', bk_property_id: 'bk_comment' }
      const { data } = await original.call<Record<string, unknown>[]>('POST', '/object/attr/search', body)
      return [data[0]?.bk_property_group, data[0]?.bk_property_index]
    }
    const move = (data: unknown) => original.call('PUT', '/objectatt/group/property', { data })
    const comment = { bk_supplier_account: '0', bk_obj_id: 'host', bk_property_id: 'bk_comment' }

    it('attributes are moved into a group and out of it', async () => {
      const [group] = await place()
      expect(group).toBe('default')
      const to = { bk_property_group: 'auto', bk_property_index: 40 }
      expect(await move([{ condition: comment, data: to }])).toMatchObject({ ...ok, data: 'success' })
      expect(await place()).toEqual(['auto', 40])
      const away = '/objectatt/group/owner/0/object/host/propertyids/bk_comment/groupids/auto'
      expect(await original.call('DELETE', away)).toMatchObject({ ...ok, data: 'success' })
      expect(await place()).toEqual(['default', 40])
      expect(await original.call('DELETE', away)).toMatchObject(failure(1199019))
    })

    it.each([
      ['a group that there is not', { condition: comment, data: { bk_property_group: 'nowhere' } }, 1199011],
      ['an attribute that there is not', { condition: { ...comment, bk_property_id: 'x' }, data: {} }, 1199011],
    ])('moving to %s moves none', async (_, wrong, code) => {
      const before = await place()
      const right = { condition: comment, data: { bk_property_group: 'auto' } }
      expect(await move([right, wrong])).toMatchObject(failure(code))
      expect(await place()).toEqual(before)
    })
  })

  describe('moves', () => {
    it('into idle and fault modules have dedicated operations', async () => {
      const { data } = await original.call<{ module: { bk_module_id: number }[] }>(
        'GET',
        `/topo/internal/0/${business}`,
      )
      for (const { bk_module_id } of data.module) {
        const body = { bk_biz_id: business, bk_host_id: [hosts['db-1']], bk_module_id: [bk_module_id] }
        expect(await original.call('POST', '/hosts/modules', body)).toMatchObject(failure(1199006))
        expect(await both.strict.call('POST', '/hosts/modules', body)).toMatchObject(ok)
      }
    })

    it.each([
      ['an empty set', () => ({ bk_set_id: 0, bk_module_id: 0 })],
      ['a set that there is not', () => ({ bk_set_id: 99_999 })],
      ['a module that there is not', () => ({ bk_module_id: 99_999 })],
    ])('emptying %s succeeds', async (_, what) => {
      const body = { bk_biz_id: business, ...what() }
      expect(await original.call('POST', '/hosts/modules/idle/set', body)).toMatchObject({ ...ok, data: null })
    })

    it.each([[null], [undefined], [[]]])('returning %j to the pool succeeds', async (bk_host_id) => {
      const body = { bk_biz_id: business, bk_host_id }
      expect(await original.call('POST', '/hosts/modules/resource', body)).toMatchObject({ ...ok, data: null })
      expect(await both.strict.call('POST', '/hosts/modules/resource', body)).toMatchObject({ result: false })
    })

    it('an unknown business is still refused', async () => {
      const body = { bk_biz_id: 99_999, bk_set_id: 1 }
      expect(await original.call('POST', '/hosts/modules/idle/set', body)).toMatchObject({ result: false })
    })
  })

  it('update_module ignores another business in its body', async () => {
    const { data } = await original.call<{ info: { bk_set_id: number }[] }>('POST', `/set/search/0/${business}`, {
      condition: { bk_set_name: 'a' },
    })
    const set = data.info[0]?.bk_set_id as number
    const module = await makeModule(original, business, set, 'api')
    const body = { bk_biz_id: 1, bk_module_name: 'api-2' }
    expect(await original.call('PUT', `/module/${business}/${set}/${module}`, body)).toMatchObject(ok)
  })

  it('an update of a favourite needs a name', async () => {
    const { data } = await original.call<{ id: string }>('POST', '/hosts/favorites', { name: 'linux', info: '{}' })
    const path = `/hosts/favorites/${data.id}`
    expect(await original.call('PUT', path, { info: '[]' })).toMatchObject(failure(1199010))
    expect(await original.call('PUT', path, { name: 'linux', info: '[]' })).toMatchObject(ok)
    expect(await original.call('PUT', '/hosts/favorites/nosuch', {})).toMatchObject({ result: false })
  })

  it('objects have icons of the 3.2 interface', async () => {
    const { data } = await original.call<{ bk_obj_id: string; bk_obj_icon: string }[]>('POST', '/objects', {})
    const icons = Object.fromEntries(data.map((object) => [object.bk_obj_id, object.bk_obj_icon]))
    expect(icons).toMatchObject({
      ...{ host: 'icon-cc-host', biz: 'icon-cc-business', plat: 'icon-cc-subnet' },
      ...{ bk_switch: 'icon-cc-switch2', bk_load_balance: 'icon-cc-balance', bk_router: 'icon-cc-router' },
    })
  })
})
