import { answerOf } from './answer.ts'
import { type Server, startMainline } from './child.ts'
import { spreadOf } from './compare.ts'
import type { Row } from './row.ts'
import { fill, makeStore } from './store.ts'

/** The account's own resource pool, which every store has. */
const pool = 1

/** A level inserted above many sets, which all move in one change, and its effect on concurrent requests. */
export const level: Row = {
  name: 'level',
  async run({ engine, plan, postgresUrl, profiles }) {
    // The goal is set for the engine that runs one change at a time.
    if (plan.moved === 0 || engine !== 'sqlite') return []
    const store = await makeStore(engine, postgresUrl)
    await fill(store, 1, plan.moved)
    const server = await startMainline(store.flags, profiles)
    // The first read in a thread also starts the thread.
    await slowestRead(server, Promise.resolve())

    const started = performance.now()
    let took = Number.NaN
    const inserting = insert(server).then(() => {
      took = performance.now() - started
    })
    const slowest = await slowestRead(server, inserting)
    await inserting
    await server.stop()
    store.remove()
    const work = `inserting a level above ${plan.moved.toLocaleString('en')} sets`
    return [
      { key: 'level', work, engine, unit: 'ms', atMost: 20_000, value: spreadOf([took]) },
      {
        key: 'level_others',
        work: 'slowest other read meanwhile',
        engine,
        unit: 'ms',
        atMost: 200,
        value: spreadOf([slowest]),
      },
    ]
  },
}

const insert = ({ port }: Server) =>
  answerOf(port, '/api/v3/topo/model/mainline', {
    method: 'POST',
    body: JSON.stringify({
      bk_classification_id: 'bk_biz_topo',
      bk_obj_id: 'region',
      bk_obj_name: 'Region',
      bk_asst_obj_id: 'biz',
      bk_supplier_account: '0',
    }),
  })

/** Requests a page, a tree and a list in turns until the change is done; returns the slowest response in milliseconds. */
async function slowestRead({ port }: Server, work: Promise<unknown>): Promise<number> {
  let slowest = 0
  let working = true
  const done = work.finally(() => {
    working = false
  })
  const page = { page: { start: 0, limit: 20 }, fields: [], condition: { bk_capacity: 200 } }
  const reads: [path: string, request?: RequestInit][] = [
    [`/api/v3/set/search/0/${pool}`, { method: 'POST', body: JSON.stringify(page) }],
    [`/api/v3/topo/inst/0/${pool}?with_default=true`],
    ['/api/v3/biz/search/0', { method: 'POST', body: '{}' }],
  ]
  do {
    for (const [path, request] of reads) {
      const started = performance.now()
      await answerOf(port, path, request)
      slowest = Math.max(slowest, performance.now() - started)
    }
  } while (working)
  await done
  return slowest
}
