import { type Limit, type Server, startLimit, startMainline } from './child.ts'
import { type Contender, compare } from './compare.ts'
import type { RawTask } from './limits/raw-statements.ts'
import { load, post } from './load.ts'
import type { Row } from './row.ts'
import { recordCreates } from './statements.ts'
import { configOf, creation, fill, makeStore } from './store.ts'

/** One business per connection: in a single one all changes would wait for its lock, and only that would be measured. */
const clients = 64

/** A set with its audit record, its event and a durable commit, compared with the same statements in a loop. */
export const createSet: Row = {
  name: 'create_set',
  async run({ engine, plan, postgresUrl, profiles }) {
    const served = await makeStore(engine, postgresUrl)
    const raw = await makeStore(engine, postgresUrl)
    const businesses = await fill(served, clients, 0)
    // As many loops as the server has connections to PostgreSQL; SQLite has a single writer.
    const loops = engine === 'postgres' ? configOf(raw).connections : 1
    const scripts = await recordCreates(raw, (await fill(raw, clients, 0)).slice(0, loops))

    const server = await startMainline(served.flags, profiles)
    const limit = await startLimit<string>('raw-statements.ts', { store: raw, scripts } satisfies RawTask)
    const comparison = await compare(
      overHttp(
        server,
        businesses.map((business) => ({ business })),
      ),
      inLoop(limit),
      plan,
    )
    await Promise.all([server.stop(), limit.stop()])
    served.remove()
    raw.remove()
    const work = `create_set, ${clients} connections`
    return [{ key: 'create_set', work, engine, atLeast: 0.5, ...comparison }]
  },
}

/** The parent of the created sets: the business, or an instance of a level. */
export interface Home {
  readonly business: number
  readonly parent?: number
}

/** Names are unique even if a store is used repeatedly. */
let created = 0

export function overHttp(server: Server, homes: readonly Home[], connections = clients, name = 'mainline'): Contender {
  const next = () => {
    const { business, parent } = homes[created % homes.length] as Home
    const { path, body } = creation(business, `set ${String(created++).padStart(8, '0')}`, parent)
    return post(path, body)
  }
  return {
    name,
    process: server,
    run: (milliseconds) => load({ port: server.port, connections, milliseconds, next, mark: '"result":true' }),
  }
}

const inLoop = (limit: Limit<string>): Contender => ({
  name: 'the same statements raw',
  process: limit,
  run: (milliseconds) => limit.ask({ milliseconds }),
})
