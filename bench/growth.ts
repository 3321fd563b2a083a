import { answerOf } from './answer.ts'
import { type Server, startMainline, untilAtRest } from './child.ts'
import { type Spread, spreadOf } from './compare.ts'
import { get, load, post, type Sample } from './load.ts'
import type { Finding } from './report.ts'
import type { Circumstances, Plan, Row } from './row.ts'
import { loadDemo, makeStore } from './store.ts'

const business = 2
/** Number of concurrent heavy searches while another client polls /healthz. */
const heavy = 8

/** How searches with equal results scale with the estate, and whether the largest ones delay other requests. */
export const growth: Row = {
  name: 'growth',
  async run(circumstances) {
    const { engine, plan } = circumstances
    if (!plan.growth) return []
    const [small, large] = plan.growth
    const before = await measured(circumstances, small, async (server) => searches(server, plan))
    const after = await measured(circumstances, large, async (server) => ({
      searches: await searches(server, plan),
      catchingUp: await catchingUp(server, plan),
      alive: await aliveBeside(server, plan),
    }))
    const estate = `${small.toLocaleString('en')} to ${large.toLocaleString('en')} hosts`
    const grown = [...before].flatMap(([kind, times]): Finding[] => {
      const later = after.searches.get(kind) as Spread
      const ratio = later.median / times.median
      return [
        {
          key: `growth_${kind}`,
          work: `page by ${kind}, ${estate}`,
          engine,
          unit: 'x',
          atMost: 2,
          value: spreadOf([ratio]),
        },
        {
          key: `large_${kind}`,
          work: `page by ${kind} at ${large.toLocaleString('en')} hosts`,
          engine,
          unit: 'ms',
          atMost: 20,
          value: later,
        },
      ]
    })
    const work = `/healthz p99 beside ${heavy} heavy searches, as often as idle`
    const rare = `events of ${large.toLocaleString('en')} hosts' log, only those of businesses`
    return [
      ...grown,
      { key: 'catch_up', work: rare, engine, unit: 'ms', atMost: 20, value: after.catchingUp },
      { key: 'alive', work, engine, unit: 'x', atMost: 10, value: after.alive },
    ]
  },
}

async function measured<T>(
  { engine, postgresUrl, profiles }: Circumstances,
  hosts: number,
  measure: (server: Server) => Promise<T>,
): Promise<T> {
  const store = await makeStore(engine, postgresUrl)
  await loadDemo(store, hosts)
  const server = await startMainline(store.flags, profiles)
  try {
    await untilAtRest(server)
    return await measure(server)
  } finally {
    await server.stop()
    store.remove()
  }
}

const filter = (kind: string, field: string, operator: string, value: unknown) => ({
  bk_obj_id: kind,
  fields: [],
  condition: [{ field, operator, value }],
})

/** Milliseconds for pages of about the same size, whatever the size of the estate. */
export async function searches(
  { port }: Server,
  { repetitions }: Pick<Plan, 'repetitions'>,
): Promise<Map<string, Spread>> {
  const tree = JSON.parse((await answerOf(port, `/api/v3/topo/inst/0/${business}`)).body).data[0]
  const sets = tree.child.flatMap((region: Tree) => region.child.flatMap((site) => site.child)) as Tree[]
  const pick = <T>(list: readonly T[], turn: number) => list[(turn * 7) % list.length] as T
  const address = (turn: number) => `10.0.${turn % 20}.${(turn * 13) % 250}`
  const serials = (turn: number) =>
    Array.from({ length: 20 }, (_, index) => `ML${String(turn * 20 + index + 1).padStart(8, '0')}`)
  const kinds: Record<string, (turn: number) => unknown> = {
    ip: (turn) => ({ ip: { data: [address(turn)], exact: 1 } }),
    module: (turn) => ({
      bk_biz_id: business,
      condition: [filter('module', 'bk_module_id', '$eq', pick(pick(sets, turn).child, turn).bk_inst_id)],
    }),
    set: (turn) => ({
      bk_biz_id: business,
      condition: [filter('set', 'bk_set_id', '$eq', pick(sets, turn).bk_inst_id)],
    }),
    'two attributes': (turn) => ({
      condition: [filter('host', 'bk_asset_id', '$in', serials(turn)), filter('host', 'bk_cpu', '$gte', 8)],
    }),
  }
  const found = new Map<string, Spread>()
  for (const [kind, body] of Object.entries(kinds)) {
    const times: number[] = []
    for (let turn = 0; turn < repetitions * 5; turn++) {
      const request = { method: 'POST', body: JSON.stringify(body(turn)) }
      const started = performance.now()
      await answerOf(port, '/api/v3/hosts/search', request)
      times.push(performance.now() - started)
    }
    found.set(kind, spreadOf(times.slice(5)))
  }
  return found
}

interface Tree {
  bk_inst_id: number
  child: Tree[]
}

/** Milliseconds to find rare records in the whole log, without reading the others. */
async function catchingUp({ port }: Server, { repetitions }: Plan): Promise<Spread> {
  const times: number[] = []
  for (let turn = 0; turn < repetitions; turn++) {
    const started = performance.now()
    const request = { method: 'POST', body: '{"bk_start_from":1}' }
    const answer = JSON.parse((await answerOf(port, '/api/v3/event/watch/resource/biz', request)).body)
    times.push(performance.now() - started)
    if (!answer.data.bk_watched) throw new Error('the log holds no events of businesses')
  }
  return spreadOf(times)
}

const slowest = ({ p99 = Number.NaN }: Sample) => p99

/** The 99th percentile of /healthz during heavy searches, relative to an idle server. */
async function aliveBeside({ port }: Server, plan: Plan): Promise<Spread> {
  const { milliseconds } = plan
  const alive = async () => {
    const times: number[] = []
    for (let turn = 1; turn < plan.repetitions; turn++) {
      times.push(
        slowest(await load({ port, connections: 1, milliseconds, next: () => get('/healthz'), mark: 'alive' })),
      )
    }
    return times
  }
  const idle = spreadOf(await alive()).median
  const every = { condition: [filter('host', 'bk_comment', '$neq', 'nothing')], page: { start: 0, limit: 20 } }
  let turn = 0
  const searching = load({
    port,
    connections: heavy,
    milliseconds: milliseconds * plan.repetitions,
    next: () => post('/api/v3/hosts/search', { ...every, page: { start: turn++, limit: 20 } }),
    mark: '"result":true',
  })
  const busy = await alive()
  await searching
  return spreadOf(busy.map((time) => time / idle))
}
