import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitingFor, watch } from '../../../../testing/clients/watching.ts'
import { makeBusiness, makeSet } from '../../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'
import { countReads, endsRead } from '../../../../testing/inspect/statements.ts'

const many = 1_000

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    // Earlier records must not answer the watches.
    await readLog(server.service.storage.read)
  })
  afterAll(() => server.close())

  it('a thousand waiting watches cost no more than one, and one event answers all of them', async () => {
    const { storage, tail } = server.service
    const waiting = Array.from({ length: many }, () => watch(server, 'set'))
    await waitingFor(server, many)
    const looks = countReads(storage, endsRead)
    await pause(500)
    // Without other writers, only the check of the history, once a second.
    expect(looks.count()).toBeLessThanOrEqual(engine === 'sqlite' ? 1 : 30)
    looks.stop()

    const reads = countReads(storage)
    const set = await makeSet(server, business)
    const answers = await Promise.all(waiting)
    expect(new Set(answers.map(({ data }) => data.bk_events[0]?.bk_detail?.bk_set_id))).toEqual(new Set([set]))
    expect(reads.count()).toBeLessThan(100)
    expect(tail.waiting()).toBe(0)
    reads.stop()
  })

  it('watches of disconnected clients are dropped', async () => {
    const gone = new AbortController()
    const url = `${server.url}/api/v3/event/watch/resource/set`
    const waiting = Array.from({ length: 50 }, () =>
      fetch(url, { method: 'POST', body: '{}', signal: gone.signal }).catch(() => 'gone'),
    )
    await waitingFor(server, 50)
    gone.abort()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['gone']))
    await waitingFor(server, 0)
  })
})
