import type { history } from '@mainline/contract'
import { expect, it } from 'vitest'
import { makeShop, putHosts } from '../../../testing/data/hosts.ts'
import { eachEngine, startServer } from '../../../testing/harness.ts'

const moved = 19_990
const perRequest = 5_000

eachEngine((engine) => {
  it('undoes nearly as many records as one undo may cover, and refuses more', { timeout: 600_000 }, async () => {
    const server = await startServer(engine)
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
    const began = performance.now()
    const answer = await server.call<history.UndoResult>('POST', '/history/undo', { request_id: 'great-move' })
    const seconds = (performance.now() - began) / 1_000
    clearInterval(watching)
    expect(answer.bk_error_msg).toBe('')
    expect(answer.data).toMatchObject({ undone: moved, already: 0, conflict: 0 })
    expect(await placed(shop.db)).toBe(0)
    // Figures for docs/guides/history.md; they depend on the machine.
    process.stdout.write(
      `${engine}: ${moved} records in ${seconds.toFixed(1)} s, +${Math.round((peak - before) / 1e6)} MB\n`,
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
