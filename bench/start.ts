import { residentOf, runMainline, type Server, startMainline } from './child.ts'
import { spreadOf } from './compare.ts'
import { overHttp } from './create-set.ts'
import type { Plan, Row } from './row.ts'
import { makeStore } from './store.ts'

const mega = 1_000_000

/** How soon a server on a large estate answers, and what it takes up then and after work. */
export const start: Row = {
  name: 'start',
  async run({ engine, plan, postgresUrl, profiles }) {
    const store = await makeStore(engine, postgresUrl)
    runMainline(['demo', `--hosts=${plan.hosts}`, ...store.flags])

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
  const { run } = overHttp(server, await businessesOf(server))
  await run(plan.milliseconds * plan.repetitions)
  return residentOf(server) / mega
}

async function businessesOf({ port }: Server): Promise<number[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v3/biz/search/0`, {
    method: 'POST',
    body: JSON.stringify({ fields: ['bk_biz_id'] }),
  })
  const { data } = (await answer.json()) as { data: { info: { bk_biz_id: number }[] } }
  return data.info.map((business) => business.bk_biz_id)
}
