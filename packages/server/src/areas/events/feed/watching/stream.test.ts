import { afterAll, beforeAll, expect, it } from 'vitest'
import { cursorNow, recordSets, type WatchedEvent, waitingFor } from '../../../../testing/clients/watching.ts'
import { makeBusiness, makeSet } from '../../../../testing/data/factories.ts'
import { makeInstance } from '../../../../testing/data/levels.ts'
import { eachEngine, makeStore, startServer, type TestServer, type TestStore } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'
import { refuses } from '../../../../testing/inspect/rows.ts'

interface Message {
  readonly id: string
  /** Undefined for a heartbeat, which has only an id. */
  readonly event: WatchedEvent | undefined
}

interface Listener {
  next(): Promise<Message | undefined>
  leave(): void
}

eachEngine((engine) => {
  let store: TestStore
  let server: TestServer
  let business: number
  beforeAll(async () => {
    store = await makeStore(engine)
    server = await startServer(engine, { store })
    business = await makeBusiness(server)
  })
  afterAll(async () => {
    await server.close()
    store.remove()
  })

  /** Opens a stream and waits for its first heartbeat. */
  async function listen(query = '', headers: Record<string, string> = {}): Promise<Listener & { first: Message }> {
    await readLog(server.service.storage.read)
    const gone = new AbortController()
    const answer = await fetch(`${server.url}/api/v3/event/stream${query}`, { headers, signal: gone.signal })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const messages = read(answer)
    const next = async () => (await messages.next()).value || undefined
    return { next, leave: () => gone.abort(), first: (await next()) as Message }
  }

  it('sends events as they happen, in the form of watches', async () => {
    const { next, leave } = await listen('?resource=set,module')
    const set = await makeSet(server, business, { bk_set_name: 'ledger' })
    const message = await next()
    expect(message?.event).toMatchObject({
      bk_resource: 'set',
      bk_event_type: 'create',
      bk_detail: { bk_set_id: set, bk_set_name: 'ledger' },
    })
    expect(message?.id).toBe(message?.event?.bk_cursor)
    await server.call('DELETE', `/set/${business}/${set}`)
    expect((await next())?.event).toMatchObject({ bk_resource: 'set', bk_event_type: 'delete' })
    leave()
    await waitingFor(server, 0)
  })

  it('sends only the events that match a filter, of any resource that has its fields', async () => {
    const filter = encodeURIComponent('{"after.bk_set_name": {"$in": ["a", "c"]}}')
    const [named, all] = [await listen(`?resource=set&filter=${filter}`), await listen(`?filter=${filter}`)]
    for (const bk_set_name of ['a', 'b', 'c']) await makeSet(server, business, { bk_set_name })
    for (const { next, leave } of [named, all]) {
      const names = [await next(), await next()].map((message) => message?.event?.bk_detail?.bk_set_name)
      expect(names).toEqual(['a', 'c'])
      leave()
    }
    for (const wrong of ['{', '[]', '"a"', '{"after.nonsense":1}', '{"after.bk_set_name":{"$regex":"a"}}']) {
      const answer = await fetch(`${server.url}/api/v3/event/stream?filter=${encodeURIComponent(wrong)}`)
      expect(await answer.json()).toMatchObject({ result: false, bk_error_msg: expect.stringContaining("'filter'") })
    }
  })

  it('covers all resources and businesses, or those it names', async () => {
    const everything = await listen()
    const elsewhere = await makeBusiness(server)
    const one = await listen(`?bk_biz_id=${business}&resource= set , biz`)
    const seen: string[] = []
    for (let n = 0; n < 4; n++) seen.push((await everything.next())?.event?.bk_resource ?? '')
    expect(seen).toEqual(['biz', 'set', 'module', 'module'])
    await makeSet(server, elsewhere)
    const set = await makeSet(server, business)
    expect((await one.next())?.event).toMatchObject({ bk_detail: { bk_set_id: set } })
    everything.leave()
    one.leave()
  })

  it('of all resources includes objects that are defined later', async () => {
    const { next, leave, first } = await listen()
    await server.call('POST', '/object', { bk_obj_id: 'pdu', bk_obj_name: 'pdu', bk_classification_id: 'bk_network' })
    await server.call('POST', '/biz/apart', { bk_biz_name: 'other', bk_biz_maintainer: 'amy' })
    const pdu = await makeInstance(server, 'pdu', { bk_inst_name: 'p1' })
    const told = { bk_resource: 'pdu', bk_event_type: 'create', bk_detail: { bk_inst_id: pdu } }
    expect((await next())?.event).toMatchObject(told)
    leave()
    // Also beyond the cache of the newest records.
    await recordSets(server, 3_000)
    const again = await listen(`?bk_cursor=${first.id}`)
    expect((await again.next())?.event).toMatchObject(told)
    for (let nth = 1; nth <= 3_000; nth++) expect((await again.next())?.event?.bk_detail?.bk_set_id).toBe(nth)
    again.leave()
  })

  it('resumes where it ended, also after a restart', async () => {
    const { first, next } = await listen('?resource=set')
    const set = await makeSet(server, business)
    const seen = await next()
    const stopping = server.close()
    expect(await next()).toBeUndefined()
    await stopping
    server = await startServer(engine, { store })
    const missed = await makeSet(server, business)
    const resumed = await listen('?resource=set', { 'last-event-id': seen?.id ?? '' })
    expect((await resumed.next())?.event).toMatchObject({ bk_detail: { bk_set_id: missed } })
    const again = await listen(`?resource=set&bk_cursor=${first.id}`)
    expect((await again.next())?.event).toMatchObject({ bk_detail: { bk_set_id: set } })
    resumed.leave()
    again.leave()
  })

  it('is refused with an envelope before it starts', async () => {
    const ask = (query: string, headers: Record<string, string> = {}) =>
      server.call('GET', `/event/stream${query}`, undefined, headers)
    await refuses(server, 9900403, "needs 'event'", () => ask('?resource=nonsense', { BK_User: 'bob' }))
    await refuses(server, 1199011, 'did you mean one of set', () => ask('?resource=host,sets'))
    await refuses(server, 1199011, 'resource', () => ask('?resource='))
    await refuses(server, 1199009, 'bk_biz_id', () => ask('?bk_biz_id=x'))
    await refuses(server, 1199009, 'bk_biz_id', () => ask('?bk_biz_id=1&bk_biz_id=2'))
    await refuses(server, 1103007, '', () => ask('', { 'last-event-id': 'nonsense' }))
    await refuses(server, 1103007, '', () => ask('?bk_cursor=nonsense'))
    await refuses(server, 9900403, '', () => ask('', { origin: 'https://evil.example' }))
    expect(await cursorNow(server)).toBeTruthy()
  })
})

/** The messages of a stream until it ends. */
async function* read(answer: Response): AsyncGenerator<Message, undefined> {
  let text = ''
  try {
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const data = field('data')
        yield { id: field('id') ?? '', event: data === undefined ? undefined : JSON.parse(data) }
      }
    }
  } catch {
    // The client closed the stream.
  }
}
