import { answerOf } from './answer.ts'
import { type Child, startLimit, startMainline } from './child.ts'
import { type Comparison, type Contender, compare } from './compare.ts'
import type { ClusterTask } from './limits/bare-cluster.ts'
import type { BareTask } from './limits/bare-fastify.ts'
import { get, load, post } from './load.ts'
import type { Finding } from './report.ts'
import type { Plan, Row } from './row.ts'
import { fill, makeStore } from './store.ts'

const connections = 64
/** The share of a second process's possible gain that must be reached: PostgreSQL needs the cores, too. */
const share = 0.85

/** Two processes on one PostgreSQL compared with one, for cached responses; SQLite has a single process. */
export const workers: Row = {
  name: 'workers',
  async run({ engine, plan, postgresUrl }) {
    if (engine !== 'postgres') return []
    const store = await makeStore(engine, postgresUrl)
    const [business] = (await fill(store, 1, plan.sets)) as [number]
    const one = await startMainline(store.flags)
    const two = await startMainline([...store.flags, '--workers=2'])
    const sets = { page: { start: 0, limit: 20 }, fields: ['bk_set_id', 'bk_set_name'], condition: {} }
    const works: Work[] = [
      { name: 'tree', path: `/api/v3/topo/inst/0/${business}` },
      { name: 'search_set', path: `/api/v3/set/search/0/${business}`, body: sets },
    ]
    const findings: Finding[] = []
    for (const work of works) {
      const { name, path, body } = work
      const answer = await answerOf(one.port, path, body && { method: 'POST', body: JSON.stringify(body) })
      const bare = await bareBeside(answer, work, plan)
      const named = { one: 'one process', two: 'two processes' }
      const ours = await twoBesideOne(named, { one, two }, work, plan)
      findings.push(
        { key: `cores_${name}`, work: `${name}, two of bare node:http beside one`, engine, atLeast: 0, ...bare },
        {
          key: `workers_${name}`,
          work: `${name}, two workers beside one`,
          engine,
          atLeast: Number((share * bare.ratio.median).toFixed(2)),
          ...ours,
        },
      )
    }
    await Promise.all([one.stop(), two.stop()])
    store.remove()
    return findings
  },
}

interface Work {
  readonly name: string
  readonly path: string
  readonly body?: object
}

type Pair<T> = Record<'one' | 'two', T>

function twoBesideOne(
  names: Pair<string>,
  processes: Pair<Child & { port: number }>,
  { path, body }: Work,
  plan: Plan,
): Promise<Comparison> {
  const request = body ? post(path, body) : get(path)
  const contender = (which: keyof Pair<unknown>): Contender => ({
    name: names[which],
    process: processes[which],
    run: (milliseconds) =>
      load({ port: processes[which].port, connections, milliseconds, next: () => request, mark: '"result":true' }),
  })
  return compare(contender('two'), contender('one'), plan)
}

/** The same with servers that only send the same bytes: the generator shares the cores with both, too. */
async function bareBeside(answer: BareTask, work: Work, plan: Plan): Promise<Comparison> {
  const start = async (processes: number) => {
    const limit = await startLimit<number>('bare-cluster.ts', { ...answer, processes } satisfies ClusterTask)
    return { ...limit, port: limit.ready }
  }
  const [one, two] = await Promise.all([start(1), start(2)])
  const comparison = await twoBesideOne({ one: 'one bare', two: 'two bare' }, { one, two }, work, plan)
  await Promise.all([one.stop(), two.stop()])
  return comparison
}
