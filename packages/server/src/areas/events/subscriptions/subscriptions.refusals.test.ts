import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness } from '../../../testing/data/factories.ts'
import { type Subscribed, subscribe, subscriptionBody } from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'

type Case = [wrong: string, code: number, saying: string, sent: Record<string, unknown>]

const long = (length: number) => 'x'.repeat(length)

/** Invalid for subscribing and for replacing. */
const bodies: Case[] = [
  ['no name', 1199010, "'subscription_name'", { subscription_name: undefined }],
  ['an empty name', 1199010, "'subscription_name'", { subscription_name: '' }],
  ['a blank name', 1199010, "'subscription_name'", { subscription_name: '  ' }],
  ['a name that is null', 1199010, "'subscription_name'", { subscription_name: null }],
  ['a number for a name', 1199007, "'subscription_name'", { subscription_name: 5 }],
  ['a name of 257 bytes', 1199015, '256', { subscription_name: long(257) }],
  ['the name of another', 1199014, 'subscription_name', { subscription_name: 'taken' }],
  ['a system that is no text', 1199007, "'system_name'", { system_name: 5 }],
  ['a system of 257 bytes', 1199015, "'system_name'", { system_name: long(257) }],
  ['no address', 1199010, "'callback_url'", { callback_url: undefined }],
  ['an empty address', 1199010, "'callback_url'", { callback_url: '' }],
  ['an address of another scheme', 1199006, "'callback_url'", { callback_url: 'ftp://127.0.0.1/' }],
  ['an address without a host', 1199006, "'callback_url'", { callback_url: 'http://' }],
  ['an address of 2001 bytes', 1199015, "'callback_url'", { callback_url: `http://127.0.0.1/${long(1984)}` }],
  ['a metadata address', 1199006, "'callback_url'", { callback_url: 'http://169.254.169.254/' }],
  ['its decimal notation', 1199006, "'callback_url'", { callback_url: 'http://2852039166/' }],
  ['an unknown mode', 1199006, 'httpstatus, regular', { confirm_mode: 'always' }],
  ['a number for a mode', 1199007, "'confirm_mode'", { confirm_mode: 1 }],
  ['a status of two digits', 1199006, "'confirm_pattern'", { confirm_pattern: '20' }],
  ['a status that is a list', 1199007, "'confirm_pattern'", { confirm_pattern: [200] }],
  ['an empty pattern', 1199010, "'confirm_pattern'", { confirm_mode: 'regular', confirm_pattern: '' }],
  ['a broken pattern', 1199006, 'RE2', { confirm_mode: 'regular', confirm_pattern: '(' }],
  ['a pattern that looks ahead', 1199006, 'RE2', { confirm_mode: 'regular', confirm_pattern: '(?=x)' }],
  ['a filter that is a list', 1199006, "'filter'", { filter: ['changed'] }],
  ['a filter that is a text', 1199006, "'filter'", { filter: '{}' }],
  ['a filter over an unknown field', 1199011, 'after.bk_set_name', { filter: { 'after.bk_set_nam': 'x' } }],
  ['a filter over a field without a side', 1199011, 'bk_set_name', { filter: { bk_set_name: 'x' } }],
  ['a filter over a field of other events', 1199011, 'after.bk_host_name', { filter: { 'after.bk_host_name': 'x' } }],
  ['a filter over a hostile field', 1199011, '__proto__', { filter: JSON.parse('{"__proto__": 1}') }],
  ['a change of an unknown field', 1199011, 'bk_set_name', { filter: { changed: { $in: ['bk_set_nam'] } } }],
  ['a comparison of changes', 1199006, '$nin', { filter: { changed: { $gt: 'a' } } }],
  ['an unknown operator', 1199011, '$regex', { filter: { 'after.bk_set_name': { $like: 'x' } } }],
  ['a pattern', 1199006, 'patterns are not available', { filter: { 'after.bk_set_name': { $regex: '^x' } } }],
  ['a value of another type', 1199009, "'filter'", { filter: { $or: [{ 'before.bk_capacity': { $gt: 'many' } }] } }],
  ['a list that is none', 1199006, "'filter'", { filter: { $or: { changed: 'bk_set_name' } } }],
  ['a long filter', 1199006, '10000', { filter: { 'after.bk_set_name': long(10_000) } }],
  ['no events', 1199010, "'subscription_form'", { subscription_form: undefined }],
  ['only commas', 1199010, "'subscription_form'", { subscription_form: ' , ' }],
  ['events that are a list', 1199007, "'subscription_form'", { subscription_form: ['setcreate'] }],
  ['an unknown event', 1199011, 'setcreate', { subscription_form: 'setcreat' }],
  ['an unknown event among known ones', 1199011, 'hostupdate', { subscription_form: 'setcreate,hostupdated' }],
  ['a hostile event', 1199011, "'__proto__'", { subscription_form: '__proto__' }],
  ['a timeout of 0', 1199006, 'between 1 and 300', { timeout: 0 }],
  ['a timeout of 301', 1199006, 'between 1 and 300', { timeout: 301 }],
  ['half a second', 1199009, "'timeout'", { timeout: 0.5 }],
  ['a word for a timeout', 1199009, "'timeout'", { timeout: 'long' }],
  ['a time_out of 301', 1199006, "'time_out'", { timeout: undefined, time_out: 301 }],
  ['none in flight', 1199006, 'between 1 and 32', { parallel: 0 }],
  ['too many in flight', 1199006, "'parallel'", { parallel: 33 }],
  ['half an event in flight', 1199009, "'parallel'", { parallel: 1.5 }],
  ['an unknown format', 1199006, 'bk-cmdb, cloudevents', { format: 'cloud-events' }],
  ['a format that is a list', 1199007, "'format'", { format: ['cloudevents'] }],
  ['a batch of one', 1199006, 'between 2 and 500', { batch: { max: 1 } }],
  ['a batch of 501', 1199006, "'batch.max'", { batch: { max: 501 } }],
  ['a batch that waits for 11 seconds', 1199006, "'batch.wait_ms'", { batch: { max: 2, wait_ms: 11_000 } }],
  ['two timeouts', 1199006, 'two spellings', { timeout: 5, time_out: 6 }],
  ['NUL in a name', 1199006, "'subscription_name'", { subscription_name: 'a\0b' }],
  ['half a character in a name', 1199006, "'subscription_name'", { subscription_name: 'a\ud800' }],
]

const replays: Case[] = [
  ['nothing', 1199006, 'dead_letters', {}],
  ['dead letters that are false', 1199006, 'dead_letters', { dead_letters: false }],
  ['dead letters that are a word', 1199025, "'dead_letters'", { dead_letters: 'yes' }],
  ['dead letters and half a range', 1199006, 'dead_letters', { dead_letters: true, from_position: 1 }],
  ['dead letters and times', 1199006, 'dead_letters', { dead_letters: true, from_time: '2026', to_time: '2027' }],
  ['half a range', 1199006, 'to_position', { from_position: 1 }],
  ['positions and times', 1199006, 'to_time', { from_position: 1, to_time: '2026-01-01 00:00:00' }],
  ['a range that ends before it begins', 1199006, "'from_position'", { from_position: 3, to_position: 2 }],
  ['position 0', 1199006, "'from_position'", { from_position: 0, to_position: 2 }],
  ['half a position', 1199009, "'from_position'", { from_position: 0.5, to_position: 2 }],
  ['a time that is none', 1199006, "'from_time'", { from_time: 'now', to_time: '2026-01-01 00:00:00' }],
]

eachEngine((engine) => {
  let server: TestServer
  let business: number
  let subscribed: Subscribed
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    await server.call('POST', '/event/subscribe/search/other/0', {})
    await subscribe(server, { url: 'http://127.0.0.1:1/' }, { subscription_name: 'taken' })
    subscribed = await subscribe(server, { url: 'http://127.0.0.1:1/' })
  })
  afterAll(() => server.close())
  const body = (sent: Record<string, unknown> = {}) => subscriptionBody('http://127.0.0.1:1/', sent)

  it.each(bodies)('refuses to subscribe with %s', async (_, code, saying, sent) => {
    await refuses(server, code, saying, () => server.call('POST', '/event/subscribe/0/0', body(sent)))
  })

  it.each(bodies)('refuses to replace with %s', async (_, code, saying, sent) => {
    await refuses(server, code, saying, () => server.call('PUT', subscribed.path, body(sent)))
  })

  it.each(replays)('refuses to replay %s', async (_, code, saying, sent) => {
    await refuses(server, code, saying, () => server.call('POST', `${subscribed.path}/replay`, sent))
  })

  it.each([
    ['an unknown business', 1199019, 'POST', () => '/event/subscribe/0/999999'],
    ['a business that is no number', 1199009, 'POST', () => '/event/subscribe/0/x'],
    ['a business below 0', 1199009, 'POST', () => '/event/subscribe/0/-1'],
    ['an unknown subscription', 1199019, 'PUT', () => '/event/subscribe/0/0/999999'],
    ['a subscription of another business', 1199019, 'PUT', () => `/event/subscribe/0/${business}/${subscribed.id}`],
    ['a subscription of another account', 1199019, 'PUT', () => `/event/subscribe/other/0/${subscribed.id}`],
    ['subscription 0', 1199009, 'PUT', () => '/event/subscribe/0/0/0'],
    ['to remove an unknown one', 1199019, 'DELETE', () => '/event/subscribe/0/0/999999'],
    ['to rotate an unknown one', 1199019, 'POST', () => '/event/subscribe/0/0/999999/secret'],
    ['to pause an unknown one', 1199019, 'POST', () => '/event/subscribe/0/0/999999/pause'],
    ['to resume an unknown one', 1199019, 'POST', () => '/event/subscribe/0/0/999999/resume'],
    ['to search an unknown business', 1199019, 'POST', () => '/event/subscribe/search/0/999999'],
  ])('refuses %s', async (_, code, method, path) => {
    await refuses(server, code, '', () => server.call(method, path(), body()))
  })

  it('reports a missing subscription before an invalid body', async () => {
    await refuses(server, 1199019, '', () => server.call('PUT', '/event/subscribe/0/0/999999', {}))
    await refuses(server, 1199019, '', () => server.call('POST', '/event/subscribe/0/999999', {}))
  })

  it.each([
    [{ start: -1 }, 1199006],
    [{ limit: 0 }, 1199006],
    [{ limit: -1 }, 1199006],
    [{ limit: 'x' }, 1199009],
    [{ sort: 'colour' }, 1199011],
    [{ sort: 5 }, 1199007],
  ])('refuses to list page %j', async (page, code) => {
    await refuses(server, code, '', () => server.call('POST', '/event/subscribe/search/0/0', { page }))
  })

  it('refuses secrets that Standard Webhooks would not accept', async () => {
    for (const secret of ['', 'whsec_', 'whsec_c2hvcnQ=', 'x'.repeat(44)]) {
      await refuses(server, 1199006, "'secret'", () => server.call('POST', '/event/subscribe/0/0', body({ secret })))
      await refuses(server, 1199006, "'secret'", () => server.call('POST', `${subscribed.path}/secret`, { secret }))
    }
  })

  it('refuses callers without the event privilege in every operation', async () => {
    const bob = { BK_User: 'bob' }
    for (const [method, path] of [
      ['POST', '/event/subscribe/0/0'],
      ['POST', '/event/subscribe/search/0/0'],
      ['PUT', subscribed.path],
      ['DELETE', subscribed.path],
      ['GET', `${subscribed.path}/attempts`],
      ['GET', `${subscribed.path}/deadletters`],
      ['POST', `${subscribed.path}/secret`],
    ] as const) {
      const sent = method === 'GET' ? undefined : body()
      await refuses(server, 9900403, "'event'", () => server.call(method, path, sent, bob))
    }
  })

  it('of two concurrent requests for a name, one succeeds', async () => {
    const both = await Promise.all(
      [1, 2].map(() => server.call('POST', '/event/subscribe/0/0', body({ subscription_name: 'raced' }))),
    )
    expect(both.map((answer) => answer.bk_error_code).sort()).toEqual([0, 1199014])
  })

  it('refuses an invalid position when listing dead letters', async () => {
    expect(await server.call('GET', `${subscribed.path}/deadletters?after=x`)).toMatchObject({ bk_error_code: 1199009 })
    expect(await server.call('GET', `${subscribed.path}/deadletters?after=7`)).toMatchObject({ data: [] })
  })
})
