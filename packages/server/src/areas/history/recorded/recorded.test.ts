import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeHosts, makeShop } from '../../../testing/data/hosts.ts'
import { isFull } from '../../../testing/full.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { changeAtRandom, randomFrom } from '../../../testing/random/changes.ts'
import { type Columns, type RowKind, readLive, rowChangesOf, rowKinds, rowOn } from './index.ts'

type Rows = Map<RowKind, Map<string, Columns>>

const seed = Number(process.env.SEED ?? 2)
/** The property test of `past/` folds backwards, too. */
const changes = isFull ? 2_500 : 120

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    const shop = await makeShop(server)
    await makeHosts(server, { business: shop.business, modules: [shop.web] }, [{}, {}, {}])
    await makeHosts(server, {}, [{}, {}])
    const rack = { bk_obj_id: 'rack', bk_obj_name: 'rack', bk_classification_id: 'bk_network' }
    await server.call('POST', '/object', rack)
  })
  afterAll(() => server.close())

  async function liveRows(): Promise<Rows> {
    const { read } = server.service.storage
    return new Map(await Promise.all(rowKinds.map(async (kind) => [kind, await readLive(read, '0', kind)] as const)))
  }

  /** A role without privileges is the same as one that was never bound. */
  const plain = (rows: Rows) =>
    Object.fromEntries(
      [...rows].map(([kind, own]) => [
        kind,
        Object.fromEntries(
          [...own].filter(([, row]) => kind !== 'role_binding' || JSON.stringify(row.privileges) !== '[]'),
        ),
      ]),
    )

  it(`gives every stored state back from the log, folded backwards (seed ${seed})`, async () => {
    const random = randomFrom(seed)
    const states: { position: number; rows: Rows }[] = []
    const made = new Map<string, number>()
    for (let index = 0; index < changes; index++) {
      const change = await changeAtRandom(server, random)
      if (change.made) made.set(change.what, (made.get(change.what) ?? 0) + 1)
      if (random() < 0.08) {
        const log = await readLog(server.service.storage.read)
        states.push({ position: log.at(-1)?.position ?? 0, rows: await liveRows() })
      }
    }
    const rows = await liveRows()
    await readLog(server.service.storage.read)
    const log = await server.service.storage.read.selectFrom('log').selectAll().orderBy('position', 'desc').execute()
    for (const record of log) {
      for (const state of states.filter(({ position }) => position === record.position)) {
        expect(plain(rows), `position ${state.position}`).toEqual(plain(state.rows))
      }
      const undone = rowChangesOf(record)
      if (!undone) throw new Error(`record ${record.position} is incomplete`)
      for (const change of undone.toReversed()) {
        const own = rows.get(change.kind)
        const before = rowOn('before', change, own?.get(change.key))
        // What the record says came of it is what is stored, or what the fold has arrived at.
        const after = rowOn('after', change, own?.get(change.key))
        expect(own?.get(change.key), `${change.kind} ${change.key} after ${record.position}`).toEqual(after)
        if (before) own?.set(change.key, before)
        else own?.delete(change.key)
      }
    }
    expect(states.length).toBeGreaterThan(5)
  })
})
