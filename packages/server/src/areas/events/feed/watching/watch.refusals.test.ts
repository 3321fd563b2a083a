import { afterAll, beforeAll, expect, it } from 'vitest'
import { emptyHistory } from '../../../../storage/index.ts'
import { removeOldest } from '../../../../storage/log/retention.ts'
import { sealNext } from '../../../../storage/log/seals.ts'
import { cursorNow, eventsSince, watch } from '../../../../testing/clients/watching.ts'
import { makeBusiness, makeSet } from '../../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'
import { refuses } from '../../../../testing/inspect/rows.ts'
import { after, writeCursor } from './cursor.ts'

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  it('a watch requires the privilege', async () => {
    const bob = { BK_User: 'bob' }
    await refuses(server, 9900403, "needs 'event'", () => watch(server, 'nonsense', { bk_cursor: 5 }, bob))
  })

  const foreign = Buffer.from('abc.1.0.xxxxxxxx').toString('base64url')
  it.each<[why: string, code: number, saying: string, resource: string, body: Record<string, unknown>]>([
    ['a resource that there is not', 1199011, 'did you mean one of host', 'hosts', {}],
    ['a hostile resource', 1199011, 'bk_resource', '__proto__', {}],
    ['processes, which have no operations', 1199011, 'bk_resource', 'process', {}],
    ['a cursor that is none', 1103007, '', 'set', { bk_cursor: 'nonsense' }],
    ['a cursor that is no text', 1199007, 'bk_cursor', 'set', { bk_cursor: 5 }],
    ['a cursor that is too long', 1199006, 'bk_cursor', 'set', { bk_cursor: 'x'.repeat(300) }],
    ['a cursor of an earlier release', 1103007, '', 'set', { bk_cursor: foreign }],
    ['a moment that is no number', 1199009, 'bk_start_from', 'set', { bk_start_from: 'now' }],
    ['a moment before all time', 1199006, 'bk_start_from', 'set', { bk_start_from: -1 }],
    ['a type that there is not', 1199006, 'bk_event_types', 'set', { bk_event_types: ['creates'] }],
    ['types that are no list', 1199006, 'bk_event_types', 'set', { bk_event_types: 'create' }],
    ['fields that are no list', 1199006, 'bk_fields', 'set', { bk_fields: 'bk_set_id' }],
    ['a field that is no text', 1199007, 'bk_fields', 'set', { bk_fields: [5] }],
  ])('a watch of %s is refused', async (_, code, saying, resource, body) => {
    await refuses(server, code, saying, () => watch(server, resource, body))
  })

  it('a tampered cursor is refused, and so is one from the future', async () => {
    const cursor = await cursorNow(server)
    for (let at = 0; at < cursor.length; at += 3) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      await refuses(server, 1103007, '', () => watch(server, 'set', { bk_cursor: changed }))
    }
    const ahead = writeCursor(after({ position: 1_000_000, id: 'd3f1q0c2k9v8r7s6t5v0.0' }))
    expect(await watch(server, 'set', { bk_cursor: ahead })).toMatchObject({
      status: 410,
      bk_error_code: 1199410,
      bk_error_msg: expect.stringContaining('no longer contains this cursor'),
      data: { bk_cursor: await cursorNow(server) },
    })
  })

  it('a cursor or time before the retained records is refused; the retained records can be read from the first one on', async () => {
    const { storage } = server.service
    const early = writeCursor(after(emptyHistory))
    expect(await eventsSince(server, 'biz', early)).toMatchObject([{ bk_detail: { bk_biz_id: business } }])
    const now = await cursorNow(server)
    await sealNext(storage.engine, Date.now(), true)
    await removeOldest(storage.engine, Date.now() + 1_000)
    await refuses(server, 1103007, 'older than what is kept', () => watch(server, 'biz', { bk_cursor: early }))
    await refuses(server, 1103007, 'older than what is kept', () => watch(server, 'biz', { bk_start_from: 0 }))
    const set = await makeSet(server, business)
    await readLog(storage.read)
    expect(await eventsSince(server, 'set', now)).toMatchObject([{ bk_detail: { bk_set_id: set } }])
  })
})
