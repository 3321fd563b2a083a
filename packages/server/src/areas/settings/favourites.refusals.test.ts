import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { refuses } from '../../testing/inspect/rows.ts'

type Case = [wrong: string, code: number, saying: string, sent: unknown]

const long = (length: number) => 'x'.repeat(length)
const parts: Case[] = [
  ['an empty name', 1199010, "'name'", { name: '' }],
  ['a name of blanks', 1199010, "'name'", { name: ' \u3000' }],
  ['a number for a name', 1199007, "'name'", { name: 5 }],
  ['a name of 257 bytes', 1199015, "'name' may contain at most 256 bytes, got 257", { name: long(257) }],
  ['a name of 86 characters and 258 bytes', 1199015, '258', { name: '集'.repeat(86) }],
  ['a name that is taken', 1199014, 'name', { name: 'taken' }],
  ['NUL in the name', 1199006, "'name'", '{"name":"a\\u0000"}'],
  ['half a character', 1199006, "'name'", '{"name":"\\udc00"}'],
  ['a map for the info', 1199007, "'info'", { name: 'new', info: {} }],
  ['an info of more than 64 KiB', 1199015, "'info' may contain at most 65536", { name: 'new', info: long(65_537) }],
  ['a list for the parameters', 1199007, "'query_params'", { name: 'new', query_params: [] }],
  ['parameters of more than 64 KiB', 1199015, "'query_params'", { name: 'new', query_params: long(65_537) }],
  ['a word for is_default', 1199009, "'is_default'", { name: 'new', is_default: 'yes' }],
  ['true for is_default', 1199009, "'is_default'", { name: 'new', is_default: true }],
  ['is_default beyond all numbers', 1199006, "'is_default'", { name: 'new', is_default: 1e300 }],
  ['a list', 1199000, 'must be an object', []],
  ['null', 1199000, 'must be an object', 'null'],
  ['half of a body', 1199000, '', '{"name":'],
]
const searches: Case[] = [
  ['a limit of 201', 1199059, '200', { limit: 201 }],
  ['a limit of 0', 1199006, "'limit'", { limit: 0 }],
  ['a word for the limit', 1199009, "'limit'", { limit: '10' }],
  ['a start below 0', 1199006, "'start'", { start: -1 }],
  ['an unknown field to sort by', 1199011, "'sort'", { sort: 'colour' }],
  ['an unknown field', 1199011, "'colour'", { condition: { colour: 1 } }],
  ['a field with SQL in its name', 1199011, 'DROP', { condition: { 'name"; DROP TABLE favourite; --': 1 } }],
  ['an unknown operator', 1199011, '$where', { condition: { name: { $where: '1' } } }],
  ['a field of every object', 1199011, "'constructor'", { condition: { constructor: 'x' } }],
  ['a pattern that is none', 1199006, "'name.$regex'", { condition: { name: { $regex: '(' } } }],
  ['a list for the condition', 1199006, "'condition'", { condition: [] }],
]
const contents: Case[] = [
  ['nothing', 1199010, "'content'", {}],
  ['no content', 1199010, "'content'", { content: null }],
  ['an empty content', 1199010, "'content'", { content: '' }],
  ['a map for the content', 1199007, "'content'", { content: {} }],
  ['a content of more than 64 KiB', 1199015, "'content' may contain at most 65536", { content: long(65_537) }],
  ['more than 64 KiB of few characters', 1199015, '65538', { content: 'é'.repeat(32_769) }],
  ['NUL', 1199006, "'content'", '{"content":"\\u0000"}'],
  ['a list', 1199000, 'must be an object', ['x']],
]
const pages: [path: string, code: number, saying: string][] = [
  ['0/201', 1199059, '200'],
  [`0/${'9'.repeat(30)}`, 1199059, '200'],
  ['0/0', 1199006, "'limit' data parameter verification does not pass: must be at least 1"],
  ['0/-1', 1199006, "'limit'"],
  ['-1/10', 1199006, "'start' data parameter verification does not pass: must be at least 0"],
  [`${'9'.repeat(30)}/10`, 1199006, "'start'"],
  ['x/10', 1199009, "'start'"],
  ['-0/10', 1199009, "'start'"],
  ['01/10', 1199009, "'start'"],
  ['1.5/10', 1199009, "'start'"],
  ['0/ten', 1199009, "'limit'"],
  ['0/1e1', 1199009, "'limit'"],
]

eachEngine((engine) => {
  let server: TestServer
  let own: string
  let others: string[]
  beforeAll(async () => {
    server = await startServer(engine)
    const made = async (name: string, headers = {}) =>
      (await server.call<{ id: string }>('POST', '/hosts/favorites', { name }, headers)).data.id
    own = await made('own')
    await made('taken')
    others = [await made('his', { BK_User: 'ben' }), await made('far', { HTTP_BK_SUPPLIER_ACCOUNT: 'far' })]
    await server.call('POST', '/hosts/history', { content: 'x' })
  })
  afterAll(() => server.close())
  const refused = async (code: number, saying: string, method: string, path: string, body?: unknown) => {
    await refuses(server, code, saying, () => server.call(method, `/hosts${path}`, body))
  }

  describe('a favourite', () => {
    it.each(parts)('is neither created nor changed with %s', async (_, code, saying, sent) => {
      await refused(code, saying, 'POST', '/favorites', sent)
      await refused(code, saying, 'PUT', `/favorites/${own}`, sent)
    })
    it('is not created without a name', () => refused(1199010, "'name'", 'POST', '/favorites', { info: 'x' }))

    it('of another user, or with an unknown id, is not found, whatever is sent', async () => {
      for (const id of [...others, '00000000000000000000', own.toUpperCase(), "' OR 1=1 --", '__proto__', '..%2f']) {
        const path = `/favorites/${encodeURIComponent(id)}`
        for (const body of [{ name: 'mine' }, {}, { name: 5 }, []]) await refused(1199019, '', 'PUT', path, body)
        await refused(1199019, '', 'DELETE', path)
        await refused(1199019, '', 'PUT', `${path}/incr`)
      }
    })
    it('has an id of 1 to 128 printable characters', async () => {
      for (const id of [long(129), 'a%00b', 'a%0Ab']) {
        await refused(1199006, "'id'", 'DELETE', `/favorites/${id}`)
        await refused(1199006, "'id'", 'PUT', `/favorites/${id}/incr`)
        await refused(1199006, "'id'", 'PUT', `/favorites/${id}`, { name: 'x' })
      }
    })
    it('is not deleted in a dry run', () => refused(1199011, "'dry_run'", 'DELETE', `/favorites/${own}?dry_run=true`))
    it('treats hostile keys as ordinary ones', async () => {
      await refused(1199010, "'name'", 'POST', '/favorites', '{"__proto__":{"name":"x"},"constructor":{}}')
      expect({}).not.toHaveProperty('name')
    })
  })

  it.each(searches)('favourites are not searched with %s', (_, code, saying, sent) =>
    refused(code, saying, 'POST', '/favorites/search', sent),
  )
  it.each(contents)('a search is not saved with %s', (_, code, saying, sent) =>
    refused(code, saying, 'POST', '/history', sent),
  )
  it.each(pages)('the history has no page %s', (path, code, saying) => refused(code, saying, 'GET', `/history/${path}`))
})
