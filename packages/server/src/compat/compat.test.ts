import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSets } from '../testing/data/factories.ts'
import { makeHosts } from '../testing/data/hosts.ts'
import { type Both, type Found, failure, startBoth } from '../testing/dialects.ts'
import { eachEngine } from '../testing/harness.ts'
import { readLog } from '../testing/inspect/log.ts'

eachEngine((engine) => {
  let both: Both
  let business: number
  beforeAll(async () => {
    both = await startBoth(engine)
    business = both.business
  })
  afterAll(() => both.close())

  describe('search_subscription', () => {
    const path = '/event/subscribe/search/0/0'

    it('answers an array, or a page with the total count', async () => {
      const [plain, paged] = await both.ask('POST', path, { page: { start: 1, limit: 1, sort: 'subscription_name' } })
      expect(plain.data).toMatchObject([{ subscription_name: 'three' }])
      expect(paged.data).toMatchObject({ count: 3, info: [{ subscription_name: 'three', timeout: 10, time_out: 10 }] })
    })

    it('accepts a condition and fields only in the dialect of the original', async () => {
      const body = {
        page: {},
        fields: ['subscription_name', 'no such field'],
        condition: { system_name: { $in: ['one', 'two'] }, last_time: { $gt: '2020-01-01 00:00:00' } },
      }
      const [plain, filtered] = await both.ask('POST', path, body)
      expect(plain.data).toHaveLength(3)
      expect(filtered.data).toEqual({ count: 2, info: [{ subscription_name: 'one' }, { subscription_name: 'two' }] })
    })

    it.each([
      ['nothing', undefined],
      ['nothing in particular', { page: { start: 0, limit: 0, sort: '' }, fields: null, condition: null }],
    ])('lists all for %s', async (_, body) => {
      expect((await both.original.call<Found>('POST', path, body)).data).toMatchObject({ count: 3, info: [{}, {}, {}] })
    })

    it.each([
      [1199011, { condition: { colour: 'red' } }],
      [1199011, { condition: { system_name: { $near: 'one' } } }],
      [1199006, { condition: 'red' }],
      [1199006, { fields: 'subscription_name' }],
      [1199006, { page: { start: -1 } }],
    ])('refuses with %i %o', async (code, body) => {
      expect(await both.original.call('POST', path, body)).toMatchObject(failure(code))
    })
  })

  it('create_mainline_object answers success, or the record of the new object', async () => {
    const level = { bk_obj_name: 'Region', bk_asst_obj_id: 'biz', bk_classification_id: 'bk_biz_topo' }
    const [plain, record] = await both.ask('POST', '/topo/model/mainline', { ...level, bk_obj_id: 'region' })
    expect(plain.data).toBe('success')
    const { data } = await both.original.call<unknown[]>('POST', '/objects', { bk_obj_id: 'region' })
    expect(data).toEqual([record.data])
    expect(record.data).toMatchObject({ ...{ bk_obj_name: 'Region', ispre: false }, bk_obj_id: 'region' })
  })

  it('in the log an instance of a level is shown as "object", or by the name of its model', async () => {
    const [plain, named] = await both.ask('POST', '/audit/search', { condition: { op_target: 'region' } })
    expect(plain.data.info[0]).toMatchObject({ op_target: 'object', bk_obj_id: 'region', op_type: 1 })
    expect(named.data.info[0]).toMatchObject({ op_target: 'region', bk_obj_id: 'region', op_type: 1 })
    const [, other] = await both.ask('POST', '/audit/search', { condition: { op_target: 'set' } })
    expect(other.data.info[0]?.op_target).toBe('set')
  })

  it.each<[what: string, path: (query: string) => string]>([
    ['an unknown id', () => `/userapi/detail/${business}/nosuchquery`],
    ['another business', (query) => `/userapi/detail/1/${query}`],
    ['an unknown business', (query) => `/userapi/detail/999/${query}`],
  ])('get_custom_query_detail finds nothing by %s: a failure, or an empty object', async (_, path) => {
    const { strict, original } = both.queries
    expect(await both.strict.call('GET', path(strict))).toMatchObject({ ...failure(1199019), status: 404 })
    const empty = await both.original.call('GET', path(original))
    expect(empty).toMatchObject({ result: true, bk_error_code: 0, status: 200 })
    expect(empty.data).toEqual({})
    const whole = await both.original.call('GET', `/userapi/detail/${business}/${original}`)
    expect(whole.data).toMatchObject({ id: original, bk_biz_id: business })
  })

  describe.each([
    ['get_operation_log', () => '/audit/search', (page: object) => page],
    ['search_custom_query', () => `/userapi/search/${business}`, (page: object) => page],
    ['search_set', () => `/set/search/0/${business}`, (page: object) => ({ page, fields: [], condition: {} })],
  ])('%s', (_, path, body) => {
    it('refuses a limit above 200, or reads it as 200', async () => {
      const [plain, capped] = await both.ask('POST', path(), body({ start: 0, limit: 201 }))
      expect(plain).toMatchObject(failure(1199059))
      expect(capped.data.info).toHaveLength(capped.data.count)
    })

    it.each([0, -1])('refuses the limit %i, or ignores it', async (limit) => {
      const [plain, open] = await both.ask('POST', path(), body({ start: 0, limit }))
      expect(plain).toMatchObject(failure(1199006))
      expect(open.data.count).toBeGreaterThan(0)
      expect(open.data.info).toHaveLength(open.data.count)
    })

    it('refuses to sort by an unknown field, or ignores it', async () => {
      const [plain, sorted] = await both.ask('POST', path(), body({ start: 0, limit: 10, sort: 'colour' }))
      expect(plain).toMatchObject(failure(1199011))
      expect(sorted.data.count).toBeGreaterThan(0)
    })

    it('refuses limits that are not numbers and a start below 0, in both dialects', async () => {
      for (const page of [
        { start: 0, limit: 'ten' },
        { start: 0, limit: 1.5 },
        { start: -1, limit: 10 },
      ]) {
        expect((await both.original.call('POST', path(), body(page))).result).toBe(false)
      }
    })
  })

  it('reads a limit above 200 as 200 when there are more', async () => {
    await makeHosts(both.original, {}, Array(201).fill({}))
    const { data } = await both.original.call<Found>('POST', '/audit/search', { limit: 500 })
    expect(data.count).toBeGreaterThan(201)
    expect(data.info).toHaveLength(200)
  })

  it('sorts by existing fields', async () => {
    const body = { page: { start: 0, limit: 10, sort: 'colour,-bk_set_name, -shape' }, fields: ['bk_set_name'] }
    const { data } = await both.original.call<Found>('POST', `/set/search/0/${business}`, body)
    expect(data.info.map((set) => set.bk_set_name)).toEqual(['空闲机池', 'c', 'b', 'a'])
  })

  it.each([
    ['/biz/search/0', { page: { limit: 0, sort: 'colour' } }],
    ['/biz/default/0/search', { page: { limit: 0, sort: 'colour' } }],
    ['/hosts/search', { page: { limit: 0, sort: 'colour' } }],
    ['/hosts/favorites/search', { limit: 0, sort: 'colour' }],
    ['/inst/search/owner/0/object/plat', { page: { limit: 0, sort: 'colour' } }],
  ])('%s: no limit means up to 200 in this dialect, but 201 is refused in both', async (path, body) => {
    const [plain, open] = await both.ask('POST', path, body)
    expect(plain.bk_error_code).toBe(1199006)
    expect(open.result).toBe(true)
    const more = 'page' in body ? { page: { limit: 201 } } : { limit: 201 }
    for (const answer of await both.ask('POST', path, more)) expect(answer).toMatchObject(failure(1199059))
  })

  describe('required flags', () => {
    it('search_set needs page, fields and condition, or nothing', async () => {
      const [plain, all] = await both.ask('POST', `/set/search/0/${business}`, {})
      expect(plain).toMatchObject(failure(1199010))
      expect(all.data).toMatchObject({ count: 4, info: [{}, {}, {}, {}] })
      const nulls = { page: null, fields: null, condition: null }
      expect((await both.original.call<Found>('POST', `/set/search/0/${business}`, nulls)).data.count).toBe(4)
      const wrong = await both.original.call('POST', `/set/search/0/${business}`, { page: 'first', fields: 5 })
      expect(wrong).toMatchObject(failure(1199006))
    })

    it('create_set requires business and account, or takes them from the request', async () => {
      const { data } = await both.original.call<Found>('POST', '/inst/search/owner/0/object/region', {})
      const region = data.info.find((each) => each.bk_biz_id === business)?.bk_inst_id
      const [plain, made] = await both.ask('POST', `/set/${business}`, { bk_parent_id: region, bk_set_name: 'new' })
      expect(plain).toMatchObject(failure(1199010))
      expect(made.data).toMatchObject({ bk_biz_id: business, bk_supplier_account: '0', bk_set_name: 'new' })
      const empty = { bk_parent_id: region, bk_set_name: 'newer', bk_biz_id: '', bk_supplier_account: null }
      expect((await both.original.call('POST', `/set/${business}`, empty)).result).toBe(true)
    })

    it('create_set refuses another business than that of the path, in both dialects', async () => {
      const body = { bk_parent_id: 1, bk_biz_id: 1, bk_supplier_account: '0', bk_set_name: 'x' }
      for (const answer of await both.ask('POST', `/set/${business}`, body)) {
        expect(answer).toMatchObject(failure(1199006))
      }
    })

    it('create_set takes a missing account from the header', async () => {
      const headers = { HTTP_BLUEKING_SUPPLIER_ID: 'acme' }
      const made = await both.original.call('POST', '/biz/acme', { bk_biz_name: 'acme', bk_biz_maintainer: 'amy' })
      const body = { bk_parent_id: made.data.bk_biz_id, bk_set_name: 'x' }
      const set = await both.original.call('POST', `/set/${made.data.bk_biz_id}`, body, headers)
      expect(set.data).toMatchObject({ bk_supplier_account: 'acme' })
    })

    it.each([
      ['left out', {}, 1199010],
      ['another', { bk_biz_id: 1 }, 1199006],
      ['no number', { bk_biz_id: 'shop' }, 1199009],
    ])('update_set refuses a business that is %s, or ignores it', async (_, sent, code) => {
      const { data } = await both.original.call<Found>('POST', `/set/search/0/${business}`, {
        condition: { bk_set_name: 'a' },
      })
      const path = `/set/${business}/${data.info[0]?.bk_set_id}`
      const [plain, changed] = await both.ask('PUT', path, { ...sent, bk_capacity: code })
      expect(plain).toMatchObject(failure(code))
      expect(changed).toMatchObject({ result: true, data: 'success' })
      const capacity = { condition: { bk_capacity: code }, fields: ['bk_set_name', 'bk_biz_id'] }
      expect((await both.original.call<Found>('POST', `/set/search/0/${business}`, capacity)).data.info).toEqual([
        { bk_set_name: 'a', bk_biz_id: business },
      ])
    })
  })

  it('reads the past in its own forms, with the cloud areas and the model of that moment', async () => {
    const { original } = both
    const area = await original.call<{ bk_inst_id: number }>('POST', '/inst/0/plat', { bk_cloud_name: 'east' })
    const cloud = area.data.bk_inst_id
    await makeHosts(original, { business }, [{ bk_cloud_id: cloud, bk_host_name: 'old' }])
    const reads: [method: string, path: string, body?: unknown][] = [
      ['POST', '/hosts/search', { bk_biz_id: business, ip: { flag: '' }, condition: [], page: { sort: 'nosuch' } }],
      ['POST', `/set/search/0/${business}`, { condition: { bk_set_name: { $multilike: ['b', 'renamed'] } } }],
      ['GET', `/topo/inst/0/${business}`],
      ['GET', `/userapi/detail/${business}/nosuchquery`],
    ]
    const all = async (moment: string) => {
      const answers: unknown[] = []
      for (const [method, path, body] of reads) {
        const { data, bk_error_msg } = await original.call(method, `${path}${moment}`, body)
        answers.push({ data, bk_error_msg })
      }
      return answers
    }
    const then = await all('')
    expect(JSON.stringify(then)).toContain('"bk_inst_name":"east"')
    const at = `?as_of=position:${(await readLog(original.service.storage.read)).at(-1)?.position}`
    await original.call('PUT', `/inst/0/plat/${cloud}`, { bk_cloud_name: 'west' })
    const [set] = (await findSets(original, business, { bk_set_name: 'b' })).data.info
    await original.call('PUT', `/set/${business}/${set?.bk_set_id}`, { bk_set_name: 'other' })
    expect(await all(at)).toEqual(then)
    expect(await all('')).not.toEqual(then)
    const refused = await original.call('GET', `/topo/inst/0/${business}?as_of=2001-01-01`)
    expect(refused).toMatchObject({ ...failure(1199410), status: 200 })
  })
})
