import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'
import { type Receiver, startReceiver } from '../../../testing/servers/receiver.ts'

type Pinged = { http_status: number; response_body: string }[]

eachEngine((engine) => {
  let server: TestServer
  let receiver: Receiver
  beforeAll(async () => {
    server = await startServer(engine)
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await receiver.close()
    await server.close()
  })
  const ping = (callback_url: unknown, data?: unknown, headers?: Record<string, string>) =>
    server.call<Pinged>('POST', '/event/subscribe/ping', { callback_url, data }, headers)
  const telnet = (callback_url: unknown, headers?: Record<string, string>) =>
    server.call('POST', '/event/subscribe/telnet', { callback_url }, headers)
  const operations: ((url: unknown) => Promise<Answer>)[] = [(url) => ping(url), (url) => telnet(url)]

  describe('ping', () => {
    it.each<[what: string, data: unknown, sent: string, type: string]>([
      ['a text as it is', 'plain, "quoted" 文本', 'plain, "quoted" 文本', 'text/plain; charset=utf-8'],
      ['an empty text as it is', '', '', 'text/plain; charset=utf-8'],
      ['an object as its JSON', { a: [1, null] }, '{"a":[1,null]}', 'application/json'],
      ['a number as its JSON', 5, '5', 'application/json'],
      ['null as its JSON', null, 'null', 'application/json'],
      ['what is left out as {}', undefined, '{}', 'application/json'],
    ])('sends %s', async (_, data, sent, type) => {
      receiver.answer({ body: 'ok' })
      expect((await ping(`${receiver.url}cb?x=1`, data)).data).toEqual([{ http_status: 200, response_body: 'ok' }])
      const got = receiver.requests.at(-1)
      expect(got).toMatchObject({ method: 'POST', path: '/cb?x=1', body: sent })
      expect(got?.headers['content-type']).toBe(type)
    })

    it('returns the callback’s answer as it is: errors, redirects, an empty body', async () => {
      for (const status of [500, 404, 302, 204]) {
        receiver.answer({ status, headers: { location: 'http://169.254.169.254/' }, body: status === 204 ? '' : 'no' })
        const { result, data } = await ping(receiver.url)
        expect({ result, data }).toEqual({
          result: true,
          data: [{ http_status: status, response_body: status === 204 ? '' : 'no' }],
        })
      }
    })

    it('shows administrators 64 KiB of a body, with invalid UTF-8 replaced', async () => {
      receiver.answer({ body: 'x'.repeat(100_000) })
      expect((await ping(receiver.url)).data[0]?.response_body).toHaveLength(65_536)
      receiver.answer({ body: Buffer.from([0x68, 0x69, 0xff, 0xfe, 0xe4, 0xb8]) })
      expect((await ping(receiver.url)).data[0]?.response_body).toBe('hi\ufffd\ufffd\ufffd')
    })

    it('shows other callers 4 KiB of a body', async () => {
      await server.call('POST', '/topo/privilege/group/0', { group_name: 'listeners', user_list: 'eve' })
      const found = await server.call<[{ group_id: string }]>('POST', '/topo/privilege/group/0/search', {})
      await server.call('POST', `/topo/privilege/group/detail/0/${found.data[0].group_id}`, { back_config: ['event'] })
      receiver.answer({ body: 'x'.repeat(100_000) })
      const { data } = await ping(receiver.url, {}, { BK_User: 'eve' })
      expect(data[0]?.response_body).toHaveLength(4_096)
    })

    it('assumes http for an address without a scheme', async () => {
      receiver.answer({ body: 'ok' })
      expect((await ping(`127.0.0.1:${receiver.port}/cb`)).data).toMatchObject([{ http_status: 200 }])
    })

    it('explains in the caller’s language why a callback is unreachable, without its password', async () => {
      receiver.answer({ instead: 'reset' })
      const secret = receiver.url.replace('//', '//ann:hidden@')
      const answer = await refuses(server, 1103004, 'closed the connection', () => ping(secret))
      expect(answer.status).toBe(502)
      expect(answer.bk_error_msg).not.toContain('hidden')
      const chinese = await ping(secret, {}, { HTTP_BLUEKING_LANGUAGE: 'zh-cn' })
      expect(chinese.bk_error_msg).toBe('测试回调失败：127.0.0.1 在响应完成前关闭了连接')
      receiver.answer({ body: 'ok' })
    })
  })

  describe('telnet', () => {
    let mute: Server
    beforeAll(async () => {
      mute = createServer(() => {})
      await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    })
    afterAll(() => mute.close())

    it('connects to any open port, and sends nothing', async () => {
      const before = receiver.requests.length
      expect(await telnet(receiver.url)).toMatchObject({ result: true, data: 'success' })
      const { port } = mute.address() as { port: number }
      expect(await telnet(`https://127.0.0.1:${port}/`)).toMatchObject({ result: true, data: 'success' })
      expect(await telnet(`127.0.0.1:${port}`)).toMatchObject({ result: true, data: 'success' })
      expect(receiver.requests).toHaveLength(before)
    })
  })

  it('report a refused connection', async () => {
    const closed = await startReceiver()
    await closed.close()
    expect((await refuses(server, 1103004, 'refused the connection', () => ping(closed.url))).status).toBe(502)
    expect((await refuses(server, 1103005, 'refused the connection', () => telnet(closed.url))).status).toBe(502)
    await refuses(server, 1103005, 'cannot be resolved', () => telnet('http://nowhere.invalid/'))
  })

  it.each<[why: string, code: number, url: unknown]>([
    ['no address', 1199010, undefined],
    ['an empty one', 1199010, ''],
    ['null', 1199010, null],
    ['a number', 1199007, 5],
    ['another scheme', 1199006, 'ftp://example.com/'],
    ['no URL', 1199006, 'http://[::'],
    ['link-local', 1199006, 'http://169.254.169.254/latest'],
    ['link-local as a number', 1199006, 'http://2852039166/'],
    ['link-local in IPv6', 1199006, 'http://[::ffff:169.254.169.254]/'],
    ['unspecified', 1199006, 'http://0.0.0.0/'],
    ['multicast', 1199006, 'http://224.0.0.1/'],
    ['cloud metadata', 1199006, 'http://100.100.100.200/'],
  ])('refuse %s', async (_, code, url) => {
    for (const run of operations) await refuses(server, code, 'callback_url', () => run(url))
  })

  it('require the event privilege', async () => {
    await refuses(server, 9900403, "needs 'event'", () => ping('', {}, { BK_User: 'bob' }))
    await refuses(server, 9900403, "needs 'event'", () => telnet('', { BK_User: 'bob' }))
  })
})

it('configured networks are denied and allowed, also this machine', async () => {
  const receiver = await startReceiver()
  const server = await startServer('sqlite', {
    flags: ['--callback-deny=127.0.0.0/8, 10.0.0.0/8', '--callback-allow=127.0.0.2'],
  })
  const telnet = (callback_url: string) => server.call('POST', '/event/subscribe/telnet', { callback_url })
  await refuses(server, 1199006, 'callbacks to 127.0.0.1 are not allowed', () => telnet(receiver.url))
  await refuses(server, 1199006, 'callbacks to 10.1.2.3 are not allowed', () => telnet('http://10.1.2.3/'))
  await refuses(server, 1199006, 'callbacks to localhost (', () => telnet('http://localhost/'))
  await refuses(server, 1103005, 'refused', () => telnet(`http://127.0.0.2:${receiver.port}/`))
  await server.close()
  await receiver.close()
})

it.each([
  ['public', 1199006],
  ['private', 1103005],
  ['any', 1103005],
])('the policy %s decides whether an open server may call its own machine', async (policy, code) => {
  const closed = await startReceiver()
  await closed.close()
  const server = await startServer('sqlite', { flags: [`--callback-policy=${policy}`] })
  const answer = await server.call('POST', '/event/subscribe/telnet', { callback_url: closed.url })
  expect(answer.bk_error_code).toBe(code)
  await server.close()
})
