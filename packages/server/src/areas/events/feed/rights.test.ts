import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { cursorNow, waitingFor, watch } from '../../../testing/clients/watching.ts'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeInstance } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { refuses } from '../../../testing/inspect/rows.ts'
import { type Listeners, makeListeners } from '../../../testing/servers/listeners.ts'

/** Callers with the `event` privilege receive events of the objects that they may search, and of no others. */
eachEngine((engine) => {
  let server: TestServer
  let business: number
  let listeners: Listeners
  const amy = { BK_User: 'amy' }
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    listeners = await makeListeners(server, 'amy')
  })
  beforeEach(() => listeners.maySearch())
  afterAll(() => server.close())

  let count = 0
  const addSwitch = () => makeInstance(server, 'bk_switch', { bk_inst_name: `switch ${++count}` })
  const addSet = () => makeSet(server, business, { bk_set_name: `set ${++count}` })

  async function stream(query: string) {
    const answer = await fetch(`${server.url}/api/v3/event/stream${query}`, { headers: amy })
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    return {
      answer,
      /** Resolves with the received text once it contains `part`, or the stream has ended. */
      async until(part: string): Promise<string> {
        while (!text.includes(part)) {
          const { value, done } = await reader.read()
          if (done) return `${text}(end)`
          text += Buffer.from(value).toString()
        }
        return text
      },
      close: () => reader.cancel(),
    }
  }

  it('a watch of an object that the caller may not search is refused, naming the missing privilege', async () => {
    for (const resource of ['bk_switch', 'plat']) {
      const answer = await refuses(server, 9900403, `'amy' needs 'search' on '${resource}'`, () =>
        watch(server, resource, {}, amy),
      )
      expect(answer.status).toBe(403)
    }
    const bk_cursor = await cursorNow(server)
    await addSwitch()
    await addSet()
    await readLog(server.service.storage.read)
    expect((await watch(server, 'set', { bk_cursor }, amy)).data.bk_events).toHaveLength(1)
    await listeners.maySearch('bk_switch')
    expect((await watch(server, 'bk_switch', { bk_cursor }, amy)).data.bk_events).toHaveLength(1)
  })

  it('a waiting watch is refused once the privilege is revoked', async () => {
    await listeners.maySearch('bk_switch')
    const watching = watch(server, 'bk_switch', { bk_cursor: await cursorNow(server) }, amy)
    await waitingFor(server, 1)
    await listeners.maySearch()
    await addSwitch()
    expect(await watching).toMatchObject({ bk_error_code: 9900403, data: null })
  })

  it('a stream of everything omits objects that the caller may not search', async () => {
    const { until, close } = await stream('')
    await addSwitch()
    await addSet()
    expect(await until('"bk_resource":"set"')).not.toContain('bk_switch')
    await listeners.maySearch('bk_switch')
    await addSwitch()
    expect(await until('"bk_resource":"bk_switch"')).toContain(`switch ${count}`)
    await close()
  })

  it('a stream of a named object is refused without the privilege, and ends when it is revoked', async () => {
    expect((await stream('?resource=set,bk_switch')).answer.status).toBe(403)
    await listeners.maySearch('bk_switch')
    const { until } = await stream('?resource=set,bk_switch')
    await addSwitch()
    await until('"bk_resource":"bk_switch"')
    await listeners.maySearch()
    await addSwitch()
    expect(await until('(never)')).toMatch(/\(end\)$/)
    expect(await until('(never)')).not.toContain(`switch ${count}`)
  })

  it('levels of the main line are open to all, also when the level is removed', async () => {
    const level = { bk_classification_id: 'bk_biz_topo', bk_obj_id: 'zone', bk_obj_name: 'zone', bk_asst_obj_id: 'biz' }
    expect(await server.call('POST', '/topo/model/mainline', level)).toMatchObject({ result: true })
    const bk_cursor = await cursorNow(server)
    const { answer, until, close } = await stream('?resource=zone')
    expect(answer.status).toBe(200)
    await server.call('DELETE', '/topo/model/mainline/owners/0/objectids/zone')
    expect(await until('"bk_event_type":"delete"')).toContain('"bk_resource":"zone"')
    await close()
    expect(bk_cursor).not.toBe('')
  })
})
