import { answerOf } from './answer.ts'
import { startLimit, startMainline } from './child.ts'
import { type Contender, compare } from './compare.ts'
import { get, load } from './load.ts'
import type { Row } from './row.ts'
import { fill, makeStore } from './store.ts'

/** The answer is a megabyte: a few connections keep both servers busy. */
const connections = 8

/** The tree of a large business, asked for again and again, beside bare node:http sending the same bytes. */
export const tree: Row = {
  name: 'tree',
  async run({ engine, plan, postgresUrl, profiles }) {
    const store = await makeStore(engine, postgresUrl)
    const [business] = await fill(store, 1, plan.nodes)
    const path = `/api/v3/topo/inst/0/${business}`
    const server = await startMainline(store.flags, profiles)
    const answer = await answerOf(server.port, path)
    const bare = await startLimit<number>('bare-http.ts', answer)
    const request = get(path)
    const mark = answer.body.slice(0, 200)
    const loading = (port: number): Contender['run'] => {
      return (milliseconds) => load({ port, connections, milliseconds, next: () => request, mark })
    }
    const comparison = await compare(
      { name: 'mainline', process: server, run: loading(server.port) },
      { name: 'bare node:http, same bytes', process: bare, run: loading(bare.ready) },
      plan,
    )
    await Promise.all([server.stop(), bare.stop()])
    store.remove()
    const work = `get_inst_topo, ${plan.nodes.toLocaleString('en')} nodes, warm`
    return [{ key: 'tree', work, engine, atLeast: 0.7, ...comparison }]
  },
}
