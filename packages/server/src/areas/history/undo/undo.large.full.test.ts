import type { history } from '@mainline/contract'
import { expect, it } from 'vitest'
import { makeBusiness } from '../../../testing/data/factories.ts'
import { makeShop, putHosts } from '../../../testing/data/hosts.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'

const moved = 19_990
const perRequest = 5_000
/** While the undo runs, a read waits for the event loop no longer than this, also on a machine that is busy with ten other processes. */
const longestReadMs = 5_000

/** Reads and changes of others, one after the other, and how long the slowest of each took. */
function others(server: TestServer, business: number) {
  const slowest = { read: 0, change: 0 }
  const refused: string[] = []
  let isEnding = false
  const keepGoing = async (kind: 'read' | 'change', request: (turn: number) => ReturnType<TestServer['call']>) => {
    for (let turn = 0; !isEnding; turn++) {
      const began = performance.now()
      const answer = await request(turn)
      if (!answer.result) refused.push(answer.bk_error_msg ?? '')
      slowest[kind] = Math.max(slowest[kind], performance.now() - began)
    }
  }
  const running = Promise.all([
    keepGoing('read', () => server.call('GET', `/topo/internal/0/${business}`)),
    keepGoing('change', (turn) => server.call('PUT', `/biz/0/${business}`, { bk_biz_developer: `dev${turn}` })),
  ])
  const end = async () => {
    isEnding = true
    await running
    return { slowest, refused }
  }
  return end
}

eachEngine((engine) => {
  it('undoes nearly as many records as one undo may cover, and refuses more', { timeout: 600_000 }, async () => {
    // SQLite has one writer: other changes wait until the undo is committed.
    const server = await startServer(engine, { flags: ['--queue-time=600s'] })
    const shop = await makeShop(server)
    await putHosts(server, shop.web, moved + 20)
    const rows = await server.service.storage.read.selectFrom('host').select('host_id').orderBy('host_id').execute()
    const hosts = rows.map((row) => row.host_id)
    const move = async (ids: number[], request: string) => {
      const body = { bk_biz_id: shop.business, bk_host_id: ids, bk_module_id: [shop.db], is_increment: false }
      const answer = await server.call('POST', '/hosts/modules', body, { cc_request_id: request })
      expect(answer.bk_error_msg).toBe('')
    }
    for (let first = 0; first < moved; first += perRequest) {
      await move(hosts.slice(first, Math.min(first + perRequest, moved)), 'great-move')
    }
    const unnumbered = async () => {
      const { count } = await server.service.storage.read
        .selectFrom('log')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('position', 'is', null)
        .executeTakeFirstOrThrow()
      return Number(count)
    }
    await expect.poll(unnumbered, { timeout: 120_000 }).toBe(0)
    const placed = async (module: number) => {
      const found = await server.service.storage.read
        .selectFrom('placement')
        .innerJoin('node', 'node.id', 'placement.module')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('node.object_id', '=', 'module')
        .where('node.inst_id', '=', module)
        .executeTakeFirstOrThrow()
      return Number(found.count)
    }
    expect(await placed(shop.db)).toBe(moved)

    const before = process.memoryUsage().rss
    let peak = before
    const watching = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 20)
    const endOthers = others(server, await makeBusiness(server))
    const plan = await server.call<history.UndoResult>('POST', '/history/undo?dry_run=true', {
      request_id: 'great-move',
    })
    expect(plan.data).toMatchObject({ undone: moved, already: 0, conflict: 0 })
    const began = performance.now()
    const answer = await server.call<history.UndoResult>('POST', '/history/undo', { request_id: 'great-move' })
    const seconds = (performance.now() - began) / 1_000
    const meanwhile = await endOthers()
    clearInterval(watching)
    expect(meanwhile.refused).toEqual([])
    expect(meanwhile.slowest.read).toBeLessThan(longestReadMs)
    expect(answer.bk_error_msg).toBe('')
    expect(answer.data).toMatchObject({ undone: moved, already: 0, conflict: 0 })
    expect(await placed(shop.db)).toBe(0)
    // Figures for docs/guides/history.md; they depend on the machine.
    process.stdout.write(
      `${engine}: ${moved} records in ${seconds.toFixed(1)} s, +${Math.round((peak - before) / 1e6)} MB; meanwhile the slowest read ${meanwhile.slowest.read.toFixed()} ms, change ${meanwhile.slowest.change.toFixed()} ms\n`,
    )

    const again = await server.call<history.UndoResult>('POST', '/history/undo', { request_id: 'great-move' })
    expect(again.data).toMatchObject({ undone: 0, already: moved })
    await move(hosts.slice(moved), 'great-move')
    const refused = await server.call('POST', '/history/undo', { request_id: 'great-move' })
    expect(refused).toMatchObject({ bk_error_code: 1199035 })
    expect(await placed(shop.db)).toBe(20)
    await server.close()
  })
})
