import { readdirSync, readlinkSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness, setBody } from '../../packages/server/src/testing/data/factories.ts'
import { callWith, makeToken } from '../../packages/server/src/testing/data/identities.ts'
import {
  eachEngine,
  makeStore,
  startServer,
  type TestServer,
  type TestStore,
} from '../../packages/server/src/testing/harness.ts'
import { inspected } from '../../packages/server/src/testing/inspect/heap.ts'
import { type ServerProcess, spawnServer } from '../../packages/server/src/testing/process.ts'

interface Told {
  status: number
  code: number
  retryAfter: string | undefined
  milliseconds: number
}

/** One request over a socket of the agent. */
function tell(url: string, agent: Agent, method: string, path: string, body?: unknown): Promise<Told> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, agent }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString()
      const { bk_error_code: code = 0 } = JSON.parse(text) as { bk_error_code?: number }
      resolve({
        status: answer.statusCode ?? 0,
        code,
        retryAfter: answer.headers['retry-after'],
        milliseconds: performance.now() - started,
      })
    })
    sent.once('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Clients that send one request after another, as fast as they are answered, ignoring Retry-After. */
async function press(clients: number, until: number, one: (client: number) => Promise<Told>): Promise<Told[]> {
  const told: Told[] = []
  const client = async (nth: number) => {
    while (Date.now() < until) told.push(await one(nth))
  }
  await Promise.all(Array.from({ length: clients }, (_, nth) => client(nth)))
  return told
}

/** Allowed growth of a server in megabytes: caches of the created records. */
const mostKept = 5

/** As reported by the system; 0 if it does not report it. */
const socketsOf = ({ child: { pid } }: ServerProcess): number => {
  const folder = `/proc/${pid}/fd`
  if (process.platform !== 'linux') return 0
  return readdirSync(folder).filter((each) => linkAt(`${folder}/${each}`).startsWith('socket:')).length
}
const linkAt = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return '' // closed meanwhile
  }
}

const measured = async (url: string, name: string) => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}

eachEngine((engine) => {
  describe('past capacity', () => {
    let store: TestStore
    let server: ServerProcess
    beforeAll(async () => {
      store = await makeStore(engine)
      server = await spawnServer(store, ['--max-requests=8', '--connections=2'], inspected)
    })
    afterAll(async () => {
      await server.end('SIGTERM')
      store.remove()
    })

    it('requests are served or rejected, health checks are always answered, and all is normal again afterwards', async () => {
      const { url } = server
      const business = (await server.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'busy' })).data
        .bk_biz_id
      const agent = new Agent({ keepAlive: true, maxSockets: 64 })
      const own = new Agent({ keepAlive: true })
      let made = 0
      const create = () =>
        tell(url, agent, 'POST', `/api/v3/set/${business}`, setBody(business, { bk_set_name: `set ${made++}` }))
      const query = { condition: [{ bk_obj_id: 'host', fields: [], condition: [] }] }
      const preview = () => tell(url, agent, 'POST', `/api/v3/userapi/preview/${business}`, { info: query })
      const pressFor = (milliseconds: number) =>
        press(64, Date.now() + milliseconds, (nth) => (nth % 2 ? create() : preview()))

      // A first run, so that lazily created resources exist.
      const early = await pressFor(300)
      agent.destroy()
      await expect.poll(() => measured(url, 'mainline_requests_running')).toBe(0)
      await expect.poll(() => socketsOf(server)).toBeLessThan(32)
      const [heap, sockets] = [await server.heap(), socketsOf(server)]

      const until = Date.now() + 2_000
      const health = async () => {
        const told: Told[] = []
        while (Date.now() < until) {
          told.push(await tell(url, own, 'GET', '/healthz'))
          await pause(20)
        }
        return told
      }
      const [told, healthy] = await Promise.all([pressFor(2_000), health()])

      const done = told.filter(({ status }) => status === 200)
      const shed = [...early, ...told].filter(({ status }) => status !== 200)
      expect(done.length).toBeGreaterThan(0)
      expect(shed.length).toBeGreaterThan(0)
      expect(new Set(shed.map(({ status, code, retryAfter }) => `${status} ${code} ${retryAfter}`))).toEqual(
        new Set(['503 1199503 1']),
      )
      expect(await measured(url, 'mainline_shed_total\\{reason="requests"\\}')).toBe(shed.length)

      const slow = healthy.map(({ milliseconds }) => milliseconds).toSorted((one, other) => other - one)
      expect(healthy.every(({ status }) => status === 200)).toBe(true)
      // The measuring client shares its process with the load generators.
      expect(slow[Math.floor(slow.length / 100)]).toBeLessThan(5_000)

      // Rejected requests have left nothing, and acknowledged changes are stored.
      const sets = await server.call<{ count: number }>('POST', `/set/search/0/${business}`, {
        ...{ page: { start: 0, limit: 1 }, fields: [], condition: { default: 0 } },
      })
      const acknowledged = await measured(
        url,
        'mainline_request_duration_seconds_count\\{operation="create_set",status="200"\\}',
      )
      expect(sets.data.count).toBe(acknowledged)

      agent.destroy()
      await expect.poll(() => measured(url, 'mainline_requests_running')).toBe(0)
      for (let turn = 0; turn < 20; turn++)
        expect(await tell(url, own, 'GET', `/api/v3/topo/inst/0/${business}`)).toMatchObject({ status: 200 })
      own.destroy()

      // The sockets of 64 clients are closed, except for some of our own, and no state of rejected callers is kept.
      await expect.poll(() => socketsOf(server)).toBeLessThan(sockets + 8)
      expect(await server.heap()).toBeLessThan(heap + mostKept)
    })
  })

  it('a change whose turn does not come in time is refused with Retry-After, and not executed later', async () => {
    const server = await startServer(engine, { flags: ['--queue-time=2s'] })
    const business = await makeBusiness(server)
    const held = Promise.withResolvers<void>()
    const holding = Promise.withResolvers<void>()
    const actor = { user: 'admin', account: '0', requestId: '' }
    // The longest kind of change: it holds the writer, or the account's chain.
    const long = server.service.storage.change(
      actor,
      async () => {
        holding.resolve()
        await held.promise
      },
      { bulk: true, chain: 'exclusive' },
    )
    await holding.promise
    const told = await server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: 'late' }))
    expect(told).toMatchObject({ status: 503, bk_error_code: 1199503, data: null })
    expect(told.headers.get('retry-after')).toBe('1')
    held.resolve()
    await long
    expect(await server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: 'late' }))).toMatchObject({
      result: true,
    })
    const log = await server.call<{ count: number }>('POST', '/audit/search', {
      condition: { op_target: 'set', bk_biz_id: business },
    })
    expect(log.data.count).toBe(1)
    await server.close()
  })
})

describe('one caller', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer('sqlite', { flags: ['--auth=token', '--caller-rate=5', '--caller-watches=1'] })
  })
  afterAll(() => server.close())

  it('with too many requests is rejected with a reason, and others are not', async () => {
    const [greedy, modest] = [await makeToken(server, { user: 'greedy' }), await makeToken(server, { user: 'modest' })]
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => callWith(server, greedy)('GET', '/topo/model/0')),
    )
    const refused = answers.filter(({ result }) => !result)
    expect(refused.length).toBeGreaterThan(20)
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(10)
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 429, bk_error_code: 1199429, data: null })
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    expect(await callWith(server, modest)('GET', '/topo/model/0')).toMatchObject({ result: true })
    const { url } = server
    expect(await measured(url, 'mainline_shed_total\\{reason="caller_rate"\\}')).toBe(refused.length)
    await expect
      .poll(async () => (await callWith(server, greedy)('GET', '/topo/model/0')).result, { interval: 400 })
      .toBe(true)
  })

  it('with too many watches is rejected with a reason, too', async () => {
    const token = await makeToken(server, { user: 'admin' })
    await callWith(server, token)('POST', '/biz/0', { bk_biz_name: 'watched' })
    const stop = new AbortController()
    const stream = await fetch(`${server.url}/api/v3/event/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    })
    expect(stream.status).toBe(200)
    const more = () => callWith(server, token)('POST', '/event/watch/resource/biz', { bk_start_from: 0 })
    expect(await more()).toMatchObject({ status: 429, bk_error_code: 1199429 })
    stop.abort()
    await expect.poll(async () => (await more()).status, { interval: 400 }).toBe(200)
  })
})
