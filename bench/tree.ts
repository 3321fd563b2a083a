import { answerOf } from './answer.ts'
import { type Server, startLimit, startMainline } from './child.ts'
import { type Contender, compare, type Spread, spreadOf } from './compare.ts'
import { get, load } from './load.ts'
import type { Plan, Row } from './row.ts'
import { creation, fill, makeStore } from './store.ts'

/** A response is a megabyte: a few connections keep both servers busy. */
const connections = 8

/** The tree of a large business: requested repeatedly, compared with node:http sending the same bytes; and after changes. */
export const tree: Row = {
  name: 'tree',
  async run({ engine, plan, postgresUrl, profiles }) {
    const store = await makeStore(engine, postgresUrl)
    const [business] = (await fill(store, 1, plan.nodes)) as [number]
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
    const cold = await afterChanges(server, business, plan)
    await Promise.all([server.stop(), bare.stop()])
    store.remove()
    const work = `get_inst_topo, ${plan.nodes.toLocaleString('en')} nodes`
    return [
      { key: 'tree', work: `${work}, warm`, engine, atLeast: 0.7, ...comparison },
      { key: 'tree_cold', work: `${work}, first after a change`, engine, unit: 'ms', atMost: 150, value: cold },
    ]
  },
}

/** Milliseconds to the first response after a visible change in the tree. */
async function afterChanges({ port }: Server, business: number, plan: Plan): Promise<Spread> {
  const times: number[] = []
  for (let turn = 0; turn < plan.repetitions; turn++) {
    const { path, body } = creation(business, `late ${turn}`)
    await answerOf(port, path, { method: 'POST', body: JSON.stringify(body) })
    const started = performance.now()
    await answerOf(port, `/api/v3/topo/inst/0/${business}`)
    times.push(performance.now() - started)
  }
  return spreadOf(times)
}
