import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { refuses } from '../../testing/inspect/rows.ts'

type Case = [wrong: string, code: number, saying: string, sent: unknown]

const columns = ['host_query_column', 'host_display_column', 'biz_query_column', 'biz_display_column']
const cases: Case[] = [
  ...columns.flatMap((column): Case[] => [
    [`a word for ${column}`, 1199006, `'${column}'`, { [column]: 'bk_host_name' }],
    [`nothing for ${column}`, 1199010, `'${column}'`, { [column]: '' }],
    [`a map for ${column}`, 1199006, `'${column}'`, { [column]: { 0: 'a' } }],
    [`a number in ${column}`, 1199007, `'${column}.1'`, { [column]: ['a', 5] }],
    [`null in ${column}`, 1199010, `'${column}.2'`, { [column]: ['a', 'b', null] }],
    [`a list in ${column}`, 1199007, `'${column}.0'`, { [column]: [['a']] }],
  ]),
  ['a word for the business', 1199009, "'bk_biz_id'", { bk_biz_id: 'x' }],
  ['half a business', 1199009, "'bk_biz_id'", { bk_biz_id: 1.5 }],
  ['a list for the business', 1199009, "'bk_biz_id'", { bk_biz_id: [2] }],
  ['a business below 0', 1199006, "'bk_biz_id'", { bk_biz_id: -1 }],
  ['a business beyond all numbers', 1199006, "'bk_biz_id'", { bk_biz_id: 1e300 }],
  ['more than 64 KiB', 1199015, 'at most 65536 bytes, got 65597', { notes: 'x'.repeat(65_533) }],
  ['more than 64 KiB of columns', 1199015, 'at most 65536', { biz_query_column: Array(10_000).fill('bk_x') }],
  ['a number that JavaScript cannot hold', 1199006, "'inside'", '{"size":{"inside":1e999}}'],
  ['a list', 1199000, 'must be an object', [{ theme: 'dark' }]],
  ['null', 1199000, 'must be an object', 'null'],
  ['half of a body', 1199000, '', '{"theme":'],
  ['NUL in a value', 1199006, "'theme'", '{"theme":"a\\u0000"}'],
  ['NUL in a key', 1199006, '', '{"a\\u0000":1}'],
  ['half a character', 1199006, "'theme.name'", '{"theme":{"name":"\\ud800"}}'],
  ['one wrong key beside good ones', 1199006, "'host_query_column'", { theme: 'light', host_query_column: 1 }],
]

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    await server.call('POST', '/usercustom', { theme: 'dark', host_query_column: ['bk_host_name'] })
  })
  afterAll(() => server.close())

  it.each(cases)('is not saved: %s', async (_, code, saying, sent) => {
    await refuses(server, code, saying, () => server.call('POST', '/usercustom', sent))
  })

  it('is reported in Chinese to callers with Chinese', async () => {
    const sent = { notes: 'x'.repeat(70_000) }
    const answer = await server.call('POST', '/usercustom', sent, { HTTP_BLUEKING_LANGUAGE: 'zh-cn' })
    expect(answer.bk_error_msg).toContain('最多 65536 字节')
  })
})
