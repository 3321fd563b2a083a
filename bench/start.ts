import { residentOf, type Server, startMainline } from './child.ts'
import { spreadOf } from './compare.ts'
import { type Home, overHttp } from './create-set.ts'
import type { Plan, Row } from './row.ts'
import { loadDemo, makeStore } from './store.ts'

const mega = 1_000_000

/** How soon a server on a large estate responds, and its memory at the start and under load. */
export const start: Row = {
  name: 'start',
  async run({ engine, plan, postgresUrl, profiles }) {
    const store = await makeStore(engine, postgresUrl)
    await loadDemo(store, plan.hosts)

    const times: number[] = []
    const memory: number[] = []
    let server: Server | undefined
    for (let turn = 0; turn < plan.starts; turn++) {
      await server?.stop()
      server = await startMainline(store.flags, profiles)
      times.push(server.startedIn)
      memory.push(residentOf(server) / mega)
    }
    const worked = server ? await afterWork(server, plan) : Number.NaN
    await server?.stop()
    store.remove()

    const estate = `${plan.hosts.toLocaleString('en')} hosts`
    const time = { engine, unit: 'ms', atMost: 1000 } as const
    const size = { engine, unit: 'MB', atMost: 200 } as const
    return [
      { ...time, key: 'start', work: `start to first answer, ${estate}`, value: spreadOf(times) },
      { ...size, key: 'memory', work: 'resident memory after start', value: spreadOf(memory) },
      { ...size, key: 'memory_worked', work: 'resident memory after create_set', value: spreadOf([worked]) },
    ]
  },
}

/** Changes allocate more than reads do. */
async function afterWork(server: Server, plan: Plan): Promise<number> {
  const { run } = overHttp(server, await sitesOf(server))
  await run(plan.milliseconds * plan.repetitions)
  return residentOf(server) / mega
}

interface TreeNode {
  bk_inst_id: number
  child: TreeNode[]
}

/** The demo company has regions and sites: a site of each business. */
async function sitesOf({ port }: Server): Promise<Home[]> {
  const ask = async <Data>(path: string, request: RequestInit = {}): Promise<Data> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v3${path}`, request)
    return ((await answer.json()) as { data: Data }).data
  }
  const all = { method: 'POST', body: JSON.stringify({ fields: ['bk_biz_id'] }) }
  const { info } = await ask<{ info: { bk_biz_id: number }[] }>('/biz/search/0', all)
  return Promise.all(
    info.map(async ({ bk_biz_id: business }) => {
      const [tree] = await ask<TreeNode[]>(`/topo/inst/0/${business}?level=2`)
      return { business, parent: tree?.child[0]?.child[0]?.bk_inst_id as number }
    }),
  )
}
