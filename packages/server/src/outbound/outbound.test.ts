import type { LookupAddress } from 'node:dns'
import { createServer, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, expect, it } from 'vitest'
import { type Receiver, type Script, startReceiver } from '../testing/servers/receiver.ts'
import { selfSigned } from '../testing/servers/self-signed.ts'
import type { Posting } from './exchange.ts'
import { Forbidden, type Unreachable } from './failure.ts'
import { createOutbound, type OutboundOptions } from './outbound.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function receiver(script?: Script, tls = false): Promise<Receiver> {
  const started = await startReceiver(script, { tls })
  closing.push(started.close)
  return started
}

function outboundTo(options: Partial<OutboundOptions> = {}) {
  const outbound = createOutbound({ policy: 'any', allow: [], deny: [], ...options })
  closing.push(outbound.close)
  const post = (url: string, posting: Partial<Posting> = {}) =>
    outbound.post(new URL(url), { headers: {}, body: 'hello', timeoutMs: 2_000, maxAnswerBytes: 65_536, ...posting })
  return { ...outbound, post }
}

const unreachable = (kind: string, saying: string) => ({
  name: 'Unreachable',
  kind,
  message: expect.stringContaining(saying),
})
const here = { address: '127.0.0.1', family: 4 }

it('posts the body and returns the answer', async () => {
  const { url, requests } = await receiver({ status: 418, headers: { 'x-kind': 'teapot' }, body: 'short and stout' })
  const { post } = outboundTo()
  const answer = await post(`${url}pot?lid=1`, { headers: { 'content-type': 'text/plain' } })
  expect(answer).toMatchObject({ status: 418, headers: { 'x-kind': 'teapot' } })
  expect(answer.body.toString()).toBe('short and stout')
  expect(requests).toMatchObject([{ method: 'POST', path: '/pot?lid=1', body: 'hello' }])
  expect(requests[0]?.headers).toMatchObject({ 'content-type': 'text/plain', 'content-length': '5' })
})

it('reuses connections', async () => {
  const { url, connections } = await receiver()
  const { post } = outboundTo()
  for (let times = 0; times < 20; times++) await post(url)
  // The pool may open a second one, since an answer is delivered a moment before its connection is free.
  expect(connections()).toBeLessThanOrEqual(2)
})

it('sends credentials of a URL as a header, and errors contain only the host', async () => {
  const { url, port, requests, close } = await receiver()
  const { post } = outboundTo()
  const secret = url.replace('127.0.0.1', 'ann:s%20cret@127.0.0.1')
  await post(secret)
  expect(requests[0]?.headers.authorization).toBe(`Basic ${btoa('ann:s cret')}`)
  await close()
  const failure = await post(secret).catch((error: Unreachable) => error)
  expect(JSON.stringify([failure, String(failure), (failure as Unreachable).why])).not.toMatch(`cret|ann|${port}`)
})

it('does not follow redirects', async () => {
  const { url, requests } = await receiver({ status: 302, headers: { location: 'http://169.254.169.254/latest' } })
  expect(await outboundTo().post(url)).toMatchObject({ status: 302 })
  expect(requests).toHaveLength(1)
})

it('truncates answers at the limit, also endless ones', async () => {
  const { url, answer } = await receiver({ body: 'x'.repeat(100_000) })
  const { post } = outboundTo()
  expect((await post(url, { maxAnswerBytes: 1_000 })).body).toHaveLength(1_000)
  answer({ body: 'y'.repeat(999), instead: 'endless' })
  expect((await post(url, { maxAnswerBytes: 1_003 })).body.toString()).toBe(`${'y'.repeat(999)}....`)
  answer({ body: 'exact' })
  expect((await post(url, { maxAnswerBytes: 5 })).body.toString()).toBe('exact')
})

it.each<[string, Script]>([
  ['the headers do not come', { instead: 'hang' }],
  ['the body does not end', { instead: 'endless' }],
  ['the body is as long as it may be and does not end', { body: 'x'.repeat(65_536), instead: 'stall' }],
  ['the answer is late', { delayMs: 30_000 }],
])('has one deadline for the whole exchange: %s', async (_, script) => {
  const { url, connections } = await receiver(script)
  const started = performance.now()
  await expect(outboundTo().post(url, { timeoutMs: 150 })).rejects.toMatchObject(
    unreachable('timeout', 'no complete response from 127.0.0.1 within 0.15 s'),
  )
  expect(performance.now() - started).toBeLessThan(10_000)
  expect(connections()).toBe(1)
})

it('the deadline also covers name resolution and a hanging TLS handshake', async () => {
  const { post, reach } = outboundTo({ resolve: () => new Promise(() => {}) })
  await expect(post('http://silent.test/', { timeoutMs: 50 })).rejects.toMatchObject(
    unreachable('timeout', 'silent.test'),
  )
  await expect(reach(new URL('http://silent.test/'), { timeoutMs: 50 })).rejects.toMatchObject({ kind: 'timeout' })
  const mute = await listen(() => {})
  await expect(outboundTo().post(`https://127.0.0.1:${mute}/`, { timeoutMs: 100 })).rejects.toMatchObject({
    kind: 'timeout',
  })
})

it('an aborted request rejects immediately with the signal’s reason', async () => {
  const { url, received } = await receiver({ instead: 'hang' })
  const stop = new AbortController()
  const posting = outboundTo().post(url, { signal: stop.signal })
  await received(1)
  stop.abort(new Error('lost the lease'))
  await expect(posting).rejects.toThrow('lost the lease')
  await expect(outboundTo().post(url, { signal: stop.signal })).rejects.toThrow('lost the lease')
})

it('a signal aborts all of its running requests, and no finished ones', async () => {
  const { url, answer, received } = await receiver({ body: 'first' })
  const { post } = outboundTo()
  const stop = new AbortController()
  const over = await post(url, { signal: stop.signal })
  answer({ instead: 'hang' })
  const stopped = [1, 2].map(() => post(url, { signal: stop.signal }).catch((error: Error) => error.message))
  const another = post(url, { signal: new AbortController().signal, timeoutMs: 300 }).catch(
    (error: Unreachable) => error.kind,
  )
  await received(4)
  stop.abort(new Error('enough'))
  expect(await Promise.all(stopped)).toEqual(['enough', 'enough'])
  expect([over.body.toString(), await another]).toEqual(['first', 'timeout'])
})

it('errors explain what is wrong with a receiver', async () => {
  const { post, reach } = outboundTo({
    resolve: async (name) => {
      if (name === 'empty.test') return []
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    },
  })
  const closed = await receiver()
  await closed.close()
  await expect(post(closed.url)).rejects.toMatchObject(unreachable('refused', '127.0.0.1 refused the connection'))
  await expect(reach(new URL(closed.url), { timeoutMs: 1_000 })).rejects.toMatchObject({ kind: 'refused' })
  await expect(post('http://nowhere.test/')).rejects.toMatchObject(unreachable('dns', 'nowhere.test'))
  await expect(post('http://empty.test/')).rejects.toMatchObject(unreachable('dns', 'empty.test'))
  await expect(post((await receiver({ instead: 'reset' })).url)).rejects.toMatchObject(unreachable('reset', 'closed'))
  const garbling = await listen((socket) => socket.end('SSH-2.0-x\r\n'))
  await expect(post(`http://127.0.0.1:${garbling}/`)).rejects.toMatchObject(unreachable('garbled', 'not HTTP'))
  await expect(post(`https://127.0.0.1:${garbling}/`)).rejects.toMatchObject({ kind: 'tls' })
})

it('refuses self-signed certificates and those of another name', async () => {
  const { port, requests } = await receiver(undefined, true)
  const { post } = outboundTo({ resolve: async () => [here] })
  await expect(post(`https://receiver.test:${port}/`)).rejects.toMatchObject(unreachable('tls', 'SELF_SIGNED'))
  const trusted = getCACertificates('default')
  setDefaultCACertificates([selfSigned.cert])
  try {
    await expect(outboundTo({ resolve: async () => [here] }).post(`https://other.test:${port}/`)).rejects.toMatchObject(
      unreachable('tls', 'ALTNAME'),
    )
    expect(requests).toHaveLength(0)
    expect(await post(`https://receiver.test:${port}/`)).toMatchObject({ status: 200 })
  } finally {
    setDefaultCACertificates(trusted)
  }
})

it('reach connects, or explains why it cannot', async () => {
  const { url, connections, requests, received } = await receiver()
  await outboundTo().reach(new URL(url), { timeoutMs: 1_000 })
  await outboundTo().post(url)
  await received(1)
  expect([connections(), requests.length]).toEqual([2, 1])
})

it('checks every address of a name, in any order', async () => {
  const { port, requests } = await receiver()
  const metadata = { address: '169.254.169.254', family: 4 }
  for (const addresses of [
    [metadata],
    [here, metadata],
    [metadata, here],
    [here, { address: '::ffff:a9fe:a9fe', family: 6 }],
    [{ address: 'fd20:ce::254', family: 6 }],
    [here, { address: '192.0.0.192', family: 4 }],
    [{ address: '::ffff:192.0.0.192', family: 6 }],
  ]) {
    const { post, reach } = outboundTo({ resolve: async () => addresses })
    await expect(post(`http://two.test:${port}/`)).rejects.toBeInstanceOf(Forbidden)
    await expect(reach(new URL(`http://two.test:${port}/`), { timeoutMs: 500 })).rejects.toBeInstanceOf(Forbidden)
  }
  expect(requests).toHaveLength(0)
})

it('connects to the checked address, even if the name changes (DNS rebinding)', async () => {
  const { port, requests } = await receiver({ headers: { connection: 'close' } })
  const asked: string[] = []
  const changing = async (name: string): Promise<LookupAddress[]> => {
    asked.push(name)
    return asked.length === 1 ? [here] : [{ address: '169.254.169.254', family: 4 }]
  }
  const { post } = outboundTo({ resolve: changing })
  // One look-up per connection, so the name cannot change between check and connection.
  await post(`http://changing.test:${port}/`)
  expect([asked.length, requests.length]).toEqual([1, 1])
  await expect(post(`http://changing.test:${port}/`)).rejects.toMatchObject({
    name: 'Forbidden',
    message: 'callbacks to changing.test (169.254.169.254) are not allowed',
  })
  expect([asked.length, requests.length]).toEqual([2, 1])
})

it('calls this machine by name only if the policy allows it', async () => {
  const { port } = await receiver()
  expect(await outboundTo().post(`http://localhost:${port}/`)).toMatchObject({ status: 200 })
  await expect(outboundTo({ policy: 'private' }).post(`http://localhost:${port}/`)).rejects.toBeInstanceOf(Forbidden)
  await expect(outboundTo({ policy: 'private' }).post(`http://127.0.0.1:${port}/`)).rejects.toBeInstanceOf(Forbidden)
})

it('refuses all other addresses of this machine, by any name', async () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  for (const { address, family } of own) {
    const found = [{ address, family: family === 'IPv4' ? 4 : 6 }]
    const { post } = outboundTo({ policy: 'private', resolve: async () => found })
    await expect(post('http://own.test/'), address).rejects.toBeInstanceOf(Forbidden)
  }
})

const servers: Server[] = []
afterAll(() => servers.map((server) => server.close()))

/** A TCP server with the given connection handler; returns its port. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    onConnection(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}
