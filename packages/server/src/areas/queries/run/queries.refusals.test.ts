import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness } from '../../../testing/data/factories.ts'
import { makeHosts } from '../../../testing/data/hosts.ts'
import { createQuery, entry, type Filter, infoOf, preview, runQuery, saveQuery } from '../../../testing/data/queries.ts'
import { type Answer, eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'

const host = (...filters: Filter[]) => infoOf(entry('host', filters))
/** As text, since JSON.stringify would leave it out. */
const hostile = (filter: string) => `{"condition":[{"bk_obj_id":"host","fields":[],"condition":[${filter}]}]}`
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

const infos: [code: number, saying: string, info: string][] = [
  [1199006, "'info'", 'web servers'],
  [1199006, "'info'", '{"condition":[]'],
  [1199006, "'info'", '[]'],
  [1199006, "'info'", 'null'],
  [1199006, "'info'", '"[]"'],
  [1199010, "'condition'", '{}'],
  [1199010, "'condition'", '{"condition":null}'],
  [1199006, "'condition'", '{"condition":{}}'],
  [1199006, "'condition[1]'", '{"condition":[{"bk_obj_id":"host"},7]}'],
  [1199006, "'condition[0]'", '{"condition":[[]]}'],
  [1199010, "'condition[0].bk_obj_id'", '{"condition":[{}]}'],
  [1199007, "'condition[0].bk_obj_id'", '{"condition":[{"bk_obj_id":7}]}'],
  [1199011, "'condition[0].bk_obj_id'", infoOf(entry('process'))],
  [1199011, "'condition[0].bk_obj_id'", infoOf(entry('plat'))],
  [1199011, "'condition[0].bk_obj_id'", infoOf(entry('__proto__'))],
  [1199006, "'condition[0].fields'", '{"condition":[{"bk_obj_id":"host","fields":"bk_mem"}]}'],
  [1199007, "'condition[0].fields[1]'", '{"condition":[{"bk_obj_id":"host","fields":["bk_mem",7]}]}'],
  [1199011, "'condition[0].fields[0]'", infoOf(entry('host', [], ['constructor']))],
  [1199011, "'condition[1].fields[0]'", infoOf(entry('host'), entry('set', [], ['bk_host_name']))],
  [1199006, "'condition[0].condition'", '{"condition":[{"bk_obj_id":"host","condition":{"bk_mem":8}}]}'],
  [1199006, "'condition[0].condition[0]'", '{"condition":[{"bk_obj_id":"host","condition":["bk_mem"]}]}'],
  [1199010, "'condition[0].condition[0].field'", hostile('{"operator":"$eq","value":1}')],
  [1199010, "'condition[0].condition[0].operator'", hostile('{"field":"bk_mem","value":1}')],
  [1199011, "'condition[0].condition[1].field'", host(['bk_mem', '$eq', 1], ['colour', '$eq', 1])],
  [1199011, "'condition[0].condition[0].field'", host(['__proto__', '$eq', 1])],
  [1199011, "'condition[0].condition[0].field'", host(['bk_mem.$gt', '$eq', 1])],
  [1199011, "'condition[0].condition[0].operator'", host(['bk_mem', '$where', 1])],
  [1199011, "'condition[0].condition[0].operator'", host(['bk_mem', 'constructor', 1])],
  [1199011, "'condition[0].condition[0].operator'", host(['bk_mem', '=', 1])],
  [1199007, "'condition[0].condition[0].operator'", hostile('{"field":"bk_mem","operator":{"$gt":""},"value":1}')],
  [1199009, "'condition[0].condition[0].value'", hostile('{"field":"bk_mem","operator":"$eq"}')],
  [1199009, "'condition[0].condition[0].value'", host(['bk_mem', '$eq', { $gt: 0 }])],
  [1199007, "'condition[0].condition[0].value'", host(['bk_host_name', '$eq', { __proto__: null, $ne: 1 }])],
  [1199007, "'condition[0].condition[0].value'", host(['bk_host_name', '$in', [['a']]])],
  [1199007, "'condition[0].condition[0].value'", host(['bk_host_name', '$eq', true])],
  [1199025, "'condition[0].condition[0].value'", host(['bk_host_name', '$exists', 'yes'])],
  [1199009, "'condition[0].condition[0].value'", host(['bk_mem', '$in', '8,much'])],
  [1199009, "'condition[0].condition[0].value'", host(['bk_mem', '$eq', 1e300])],
  [1199006, "'condition[0].condition[0].value'", host(['create_time', '$gt', 'yesterday'])],
  [1199006, "'condition[0].condition[0].value'", host(['bk_host_name', '$eq', '\0'])],
  [
    1199006,
    "'condition[0].condition[0].value'",
    hostile('{"field":"bk_comment","operator":"$in","value":["\\ud800"]}'),
  ],
  [1199006, "'condition[0].condition[0].value'", host(['bk_host_name', '$regex', '(?=a)'])],
  [1199006, "'condition[0].condition[0].value'", host(['bk_host_name', '$regex', '((a{1,100}){1,100}){1,100}'])],
  [1199006, "'condition[0].condition[0].value'", host(['bk_host_name', '$regex', 'a'.repeat(1_001)])],
  // Each of them within the limit, together beyond it.
  [
    1199006,
    'the patterns together are too complex',
    infoOf(...Array.from({ length: 200 }, () => entry('host', [['bk_comment', '$regex', 'a?'.repeat(70)]]))),
  ],
  [1110058, 'bk_inst_id', infoOf(entry('object'))],
  [1199011, "'condition[0].condition[0].field'", infoOf(entry('object', [['grade', '$eq', 1]]))],
  [1199006, "'page'", '{"condition":[],"page":[]}'],
  [1199007, "'page.sort'", '{"condition":[],"page":{"sort":7}}'],
  [1199011, "'page.sort'", '{"condition":[],"page":{"sort":"-colour"}}'],
  [1199035, 'condition', host(...Array.from({ length: 10_000 }, (): Filter => ['bk_mem', '$eq', 1]))],
  [1199035, 'condition', infoOf(...Array.from({ length: 5_000 }, () => entry('host')))],
  [1199035, '10000', host(['bk_mem', '$in', Array.from({ length: 10_001 }, (_, index) => index)])],
  [1199006, "'condition'", `{"condition":{"a":${deep(8_000)}}}`],
  [1199006, "'condition[0]'", `{"condition":${deep(8_000)}}`],
  [1199006, "'info' data parameter verification does not pass: must be JSON", `{"condition":${deep(100_000)}}`],
  [1199035, 'condition exceed the limit 200', `{"condition":[${'{},'.repeat(200)}{}]}`],
  [1199035, 'the values in info exceed the limit 50000', `{"condition":[],"x":[${'1,'.repeat(60_000)}1]}`],
  [1199015, 'info', `{"condition":[],"note":"${'x'.repeat(2_000_000)}"}`],
]

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    const names = ['web', `${'a'.repeat(250)}!`, '%_\\', "o'neil"]
    await makeHosts(
      server,
      { business },
      names.map((bk_host_name) => ({ bk_host_name })),
    )
  })
  afterAll(() => server.close())

  describe('an invalid definition is refused with the path of the error, and nothing is saved', () => {
    it.each(infos)('%i %s', async (code, saying, info) => {
      await refuses(server, code, saying, () => createQuery(server, business, info))
      if (code !== 1199015) await refuses(server, code, saying, () => preview(server, business, info))
    })
  })

  it('requires a business, a name and a definition', async () => {
    const create = (body: Record<string, unknown>) => () =>
      server.call('POST', '/userapi', { bk_biz_id: business, name: 'n', info: infoOf(), ...body })
    await refuses(server, 1199010, 'bk_biz_id', create({ bk_biz_id: undefined }))
    await refuses(server, 1199011, 'bk_biz_id', create({ bk_biz_id: 99_999 }))
    for (const none of [0, -1, '0', 987_654]) await refuses(server, 1199011, 'bk_biz_id', create({ bk_biz_id: none }))
    for (const odd of [1.5, 'x']) await refuses(server, 1199009, 'bk_biz_id', create({ bk_biz_id: odd }))
    for (const field of ['name', 'info']) {
      for (const empty of [undefined, null, '']) await refuses(server, 1199010, field, create({ [field]: empty }))
      for (const wrong of [7, {}, []]) await refuses(server, 1199007, field, create({ [field]: wrong }))
    }
    await refuses(server, 1199015, 'name', create({ name: 'é'.repeat(129) }))
    for (const name of ['\0', '\ud800']) await refuses(server, 1199006, 'name', create({ name }))
    await refuses(server, 1199000, 'JSON', () => server.call('POST', '/userapi', '{"bk_biz_id":'))
    const archived = await makeBusiness(server)
    await server.call('PUT', `/biz/status/disabled/0/${archived}`)
    await refuses(server, 1199011, 'bk_biz_id', create({ bk_biz_id: archived }))
  })

  it('requires whole numbers for a page, and at most 200 rows', async () => {
    const id = await saveQuery(server, business, infoOf())
    const run = (start: string | number, limit: string | number) => () =>
      runQuery(server, business, id, { start, limit })
    await refuses(server, 1199009, 'start', run('x', 1))
    await refuses(server, 1199009, 'limit', run(0, '1.5'))
    await refuses(server, 1199006, 'start', run(-1, 1))
    await refuses(server, 1199006, 'limit', run(0, 0))
    await refuses(server, 1199059, '200', run(0, 201))
    await refuses(server, 1199059, '200', () => preview(server, business, infoOf(), { limit: 201 }))
    await refuses(server, 1199010, 'info', () => preview(server, business, undefined))
    await refuses(server, 1199019, 'No relevant data', () => preview(server, 99_999, infoOf()))
  })

  it('answers hostile but valid definitions in bounded time, and treats their text literally', async () => {
    const answer = async (info: string): Promise<Answer<{ count: number }>> => {
      const started = performance.now()
      const told = await preview(server, business, info)
      expect(performance.now() - started).toBeLessThan(20_000)
      return told
    }
    const counted = async (...filters: Filter[]) => (await answer(host(...filters))).data.count
    expect(await counted(['bk_host_name', '$regex', '^(a+)+$'])).toBe(0)
    expect(await counted(['bk_host_name', '$regex', '(a|a)*(a|a)*(a|a)*!$'])).toBe(1)
    expect(await counted(['bk_host_name', '$eq', "' OR 1=1 --"])).toBe(0)
    expect(await counted(['bk_host_name', '$eq', '%_\\'])).toBe(1)
    expect(await counted(['bk_host_name', '$in', ["o'neil", '"', '$1', '{}']])).toBe(1)
    expect(await counted(['bk_host_name', '$in', Array.from({ length: 10_000 }, (_, index) => `${index}`)])).toBe(0)
    expect(await counted(...Array.from({ length: 200 }, (_, index): Filter => ['bk_comment', '$ne', `${index}`]))).toBe(
      4,
    )
    const many = Array.from({ length: 50 }, (): Filter => ['bk_host_name', '$regex', '^w(e|x)b$'])
    expect(await counted(...many)).toBe(1)
    expect((await answer(`{"condition":[],"__proto__":{"condition":[1]},"note":${deep(5_000)}}`)).data.count).toBe(4)
    expect((await answer(infoOf(...Array.from({ length: 200 }, () => entry('host'))))).data.count).toBe(4)
  })
})
