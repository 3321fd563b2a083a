import type { model, uniques } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  const search = (object: string) =>
    server.call<uniques.UniqueRuleRecord[]>('GET', `/object/${object}/unique/action/search`)

  it.each([
    ['host', ['bk_host_innerip', 'bk_cloud_id']],
    ['set', ['bk_set_name']],
    ['plat', ['bk_cloud_name']],
    ['bk_switch', ['bk_inst_name']],
  ])('instances of %s are distinguished by %j', async (object, names) => {
    const { data: attributes } = await server.call<model.AttributeRecord[]>('POST', '/object/attr/search', {
      bk_obj_id: object,
      bk_property_id: { $in: names },
    })
    const [rule] = (await search(object)).data
    expect(rule).toMatchObject({ bk_obj_id: object, must_check: true, ispre: true })
    expect(new Set(rule?.keys.map((key) => key.key_id))).toEqual(new Set(attributes.map((each) => each.id)))
    expect(rule?.keys).toHaveLength(names.length)
  })

  it('an object that does not exist has no rules', async () => {
    expect((await search('nosuch')).bk_error_code).toBe(1101016)
  })
})
