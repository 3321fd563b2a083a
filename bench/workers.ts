import { startMainline } from './child.ts'
import { type Contender, compare } from './compare.ts'
import { get, load, post } from './load.ts'
import type { Finding } from './report.ts'
import type { Row } from './row.ts'
import { fill, makeStore } from './store.ts'

const connections = 16

/** Two processes on one PostgreSQL beside one, with what each answers from memory; only there can there be several. */
export const workers: Row = {
  name: 'workers',
  async run({ engine, plan, postgresUrl }) {
    if (engine !== 'postgres') return []
    const store = await makeStore(engine, postgresUrl)
    const [business] = (await fill(store, 1, plan.sets)) as [number]
    const one = await startMainline(store.flags)
    const two = await startMainline([...store.flags, '--workers=2'])
    const tree = get(`/api/v3/topo/inst/0/${business}`)
    const page = { page: { start: 0, limit: 20 }, fields: ['bk_set_id', 'bk_set_name'], condition: {} }
    const requests = { tree, search_set: post(`/api/v3/set/search/0/${business}`, page) }
    const findings: Finding[] = []
    for (const [name, request] of Object.entries(requests)) {
      const loading = ({ port }: { port: number }): Contender['run'] => {
        return (milliseconds) => load({ port, connections, milliseconds, next: () => request, mark: '"result":true' })
      }
      const comparison = await compare(
        { name: 'two processes', process: two, run: loading(two) },
        { name: 'one process', process: one, run: loading(one) },
        plan,
      )
      findings.push({
        key: `workers_${name}`,
        work: `${name}, two workers beside one`,
        engine,
        atLeast: 1,
        ...comparison,
      })
    }
    await Promise.all([one.stop(), two.stop()])
    store.remove()
    return findings
  },
}
