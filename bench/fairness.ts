import { answerOf } from './answer.ts'
import { type Server, startMainline } from './child.ts'
import { spreadOf } from './compare.ts'
import type { Row } from './row.ts'
import { creation, fill, makeStore } from './store.ts'

const movers = 16
const hostsPerMover = 4
/** Pause between two created sets: an operator at work, not a load test. */
const pauseMs = 250

/** Clients that move hosts of one business all the time and share its lock, and a client that creates sets there and needs the lock exclusively. */
export const fairness: Row = {
  name: 'fairness',
  async run({ engine, plan, postgresUrl, profiles }) {
    const store = await makeStore(engine, postgresUrl)
    const [business = 0] = await fill(store, 1, 2)
    const server = await startMainline(store.flags, profiles)
    const estate = await prepare(server, business)
    await move(server, estate, plan.warmUp)
    const slowdowns: number[] = []
    const waits: number[] = []
    for (let turn = 0; turn < Math.min(3, plan.repetitions); turn++) {
      const alone = await move(server, estate, 4 * plan.milliseconds)
      const until = performance.now() + 4 * plan.milliseconds
      const [beside, created] = await Promise.all([
        move(server, estate, 4 * plan.milliseconds),
        createUntil(server, business, until, `turn ${turn}`),
      ])
      slowdowns.push(alone / beside)
      waits.push(...created)
    }
    await server.stop()
    store.remove()
    const sorted = waits.toSorted((a, b) => a - b)
    const p99 = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? Number.NaN
    return [
      {
        key: 'fairness',
        work: `create_set beside ${movers} clients that move hosts, p99`,
        engine,
        unit: 'ms',
        atMost: 1_000,
        value: spreadOf([p99]),
      },
      {
        key: 'fairness_moves',
        work: 'slowdown of those moves by it',
        engine,
        unit: 'x',
        // 80 % of the rate.
        atMost: 1.25,
        value: spreadOf(slowdowns),
      },
    ]
  },
}

interface Estate {
  readonly business: number
  readonly modules: readonly [number, number]
  readonly hosts: readonly (readonly number[])[]
}

const post = async <Data>({ port }: Server, path: string, body: unknown): Promise<Data> => {
  const answer = await answerOf(port, `/api/v3${path}`, { method: 'POST', body: JSON.stringify(body) })
  return (JSON.parse(answer.body) as { data: Data }).data
}

async function prepare(server: Server, business: number): Promise<Estate> {
  const { info } = await post<{ info: { bk_set_id: number }[] }>(server, `/set/search/0/${business}`, {
    page: { start: 0, limit: 1 },
    fields: ['bk_set_id'],
    condition: { bk_set_name: 'set 0' },
  })
  const set = info[0]?.bk_set_id ?? 0
  const makeModule = async (name: string) =>
    (
      await post<{ bk_module_id: number }>(server, `/module/${business}/${set}`, {
        bk_module_name: name,
        bk_parent_id: set,
      })
    ).bk_module_id
  const modules = [await makeModule('left'), await makeModule('right')] as const
  const hosts: number[][] = []
  for (let mover = 0; mover < movers; mover++) {
    const rows = Array.from({ length: hostsPerMover }, (_, n) => ({ bk_host_innerip: `10.1.${mover}.${n + 1}` }))
    await post(server, '/hosts/add', { bk_biz_id: business, host_info: { ...rows } })
    const found = await post<{ info: { host: { bk_host_id: number } }[] }>(server, '/hosts/search', {
      bk_biz_id: business,
      ip: { data: rows.map((row) => row.bk_host_innerip), exact: 1, flag: 'bk_host_innerip' },
      page: { start: 0, limit: hostsPerMover },
    })
    hosts.push(found.info.map(({ host }) => host.bk_host_id))
  }
  return { business, modules, hosts }
}

/** Moves per second. */
async function move(server: Server, { business, modules, hosts }: Estate, milliseconds: number): Promise<number> {
  const began = performance.now()
  let moves = 0
  const moving = async (ids: readonly number[]) => {
    for (let side = 0; performance.now() < began + milliseconds; side = 1 - side) {
      await post(server, '/hosts/modules', {
        bk_biz_id: business,
        bk_host_id: ids,
        bk_module_id: [modules[side]],
        is_increment: false,
      })
      moves++
    }
  }
  await Promise.all(hosts.map(moving))
  return (moves * 1_000) / (performance.now() - began)
}

/** Latency of each, in milliseconds. */
async function createUntil({ port }: Server, business: number, until: number, name: string): Promise<number[]> {
  const took: number[] = []
  while (performance.now() < until) {
    const began = performance.now()
    const { path, body } = creation(business, `${name} ${took.length}`)
    await answerOf(port, path, { method: 'POST', body: JSON.stringify(body) })
    took.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return took
}
