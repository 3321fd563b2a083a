import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OpenedStream, openStream } from '../../../../testing/clients/streams.ts'
import { cursorNow, recordSets, type WatchedEvent, waitingFor } from '../../../../testing/clients/watching.ts'
import { makeBusiness, makeSet } from '../../../../testing/data/factories.ts'
import { bearing, idOf, makeToken } from '../../../../testing/data/identities.ts'
import { eachEngine, makeStore, startServer, type TestServer } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'
import { countReads } from '../../../../testing/inspect/statements.ts'

const many = 200
const setsIn = (events: readonly WatchedEvent[]) => events.map((event) => event.bk_detail?.bk_set_id)

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  async function openMany(count: number, query = ''): Promise<OpenedStream[]> {
    await readLog(server.service.storage.read)
    const streams = await Promise.all(Array.from({ length: count }, () => openStream(server, query)))
    await waitingFor(server, count)
    return streams
  }

  async function closeAll(streams: readonly OpenedStream[]): Promise<void> {
    for (const each of streams) each.close()
    await waitingFor(server, 0)
  }

  it('an event is read once for all streams, and each of them receives it once', async () => {
    const streams = await openMany(many, '?resource=set')
    const reads = countReads(server.service.storage)
    const set = await makeSet(server, business)
    const received = await Promise.all(streams.map((stream) => stream.received(1)))
    expect(reads.count()).toBeLessThan(many / 2)
    reads.stop()
    const next = await makeSet(server, business)
    await Promise.all(streams.map((stream) => stream.received(2)))
    expect(received.map(setsIn)).toEqual(streams.map(() => [set, next]))
    await closeAll(streams)
  })

  it('streams with different filters and callers receive only their own events', async () => {
    const other = await makeBusiness(server)
    await readLog(server.service.storage.read)
    const [sets, own, elsewhere] = await Promise.all([
      openStream(server, '?resource=set'),
      openStream(server, `?resource=set&bk_biz_id=${business}`, { BK_User: 'admin' }),
      openStream(server, `?resource=set&bk_biz_id=${other}`),
    ])
    await waitingFor(server, 3)
    const first = await makeSet(server, business)
    const second = await makeSet(server, other)
    expect(setsIn(await sets.received(2))).toEqual([first, second])
    expect(setsIn(await own.received(1))).toEqual([first])
    expect(setsIn(await elsewhere.received(1))).toEqual([second])
    await closeAll([sets, own, elsewhere])
  })

  it('streams opened while events happen lose none and get none twice between catching up and the broadcast', async () => {
    const bk_cursor = await cursorNow(server)
    const count = 60
    const made: number[] = []
    const streams: OpenedStream[] = []
    const making = (async () => {
      while (made.length < count) made.push(await makeSet(server, business))
    })()
    while (made.length < count && streams.length < 40) {
      streams.push(await openStream(server, `?resource=set&bk_cursor=${bk_cursor}`))
    }
    await making
    await Promise.all(streams.map((stream) => stream.received(count)))
    const last = await makeSet(server, business)
    for (const stream of streams) expect(setsIn(await stream.received(count + 1))).toEqual([...made, last])
    await closeAll(streams)
  })

  it('a client that does not read leaves the broadcast, holds up no other, and continues without a gap', async () => {
    const [reading] = (await openMany(1, '?resource=set')) as [OpenedStream]
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write('GET /api/v3/event/stream?resource=set HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await waitingFor(server, 2)
    socket.pause()
    let records = 0
    // Until its socket is full.
    for (; server.service.tail.waiting() === 2; records += 1_000) {
      await recordSets(server, 1_000)
      await reading.received(records + 1_000)
    }
    await recordSets(server, 10)
    await reading.received(records + 10)
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    const ids = () => [...text.matchAll(/"bk_set_id":(\d+)/g)].map(([, id]) => Number(id))
    socket.resume()
    await expect.poll(() => ids().length, { timeout: 60_000 }).toBe(records + 10)
    expect(ids()).toEqual(setsIn(reading.events))
    socket.destroy()
    await closeAll([reading])
  })
})

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine, { flags: ['--auth=token'] })
  })
  afterAll(() => server.close())

  it('a revoked token ends its own streams before the next event, and no others with the same filter', async () => {
    const [kept, revoked] = [await makeToken(server), await makeToken(server)]
    await readLog(server.service.storage.read)
    const streams = await Promise.all(
      [kept, revoked, revoked].map((token) => openStream(server, '?resource=set', bearing(token))),
    )
    await waitingFor(server, 3)
    await recordSets(server, 1)
    await Promise.all(streams.map((stream) => stream.received(1)))
    await server.service.tokens.revoke('test', idOf(revoked))
    await recordSets(server, 1)
    const [continuing, ...ending] = streams as [OpenedStream, ...OpenedStream[]]
    await Promise.all([continuing.received(2), ...ending.map((stream) => stream.ended)])
    expect(ending.map(({ events }) => events.length)).toEqual([1, 1])
    continuing.close()
    await waitingFor(server, 0)
  })
})

it('streams of one process receive the changes of another, in the order of the log', async () => {
  const store = await makeStore('postgres')
  const servers = [await startServer('postgres', { store }), await startServer('postgres', { store })] as const
  const [one, other] = servers
  const businesses = [await makeBusiness(one), await makeBusiness(other)] as const
  await readLog(one.service.storage.read)
  const streams = await Promise.all(servers.map((server) => openStream(server, '?resource=set')))
  for (const server of servers) await waitingFor(server, 1)
  const make = async (server: TestServer, business: number) => {
    for (let nth = 0; nth < 20; nth++) await makeSet(server, business)
  }
  await Promise.all([make(one, businesses[0]), make(other, businesses[1])])
  const [here, there] = await Promise.all(streams.map((stream) => stream.received(40)))
  expect(setsIn(here ?? [])).toEqual(setsIn(there ?? []))
  const log = await readLog(one.service.storage.read)
  expect(setsIn(here ?? [])).toEqual(log.filter((each) => each.object_id === 'set').map((each) => each.inst_id))
  for (const stream of streams) stream.close()
  for (const server of servers) await server.close()
  store.remove()
})
