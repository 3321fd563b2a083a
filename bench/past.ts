import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { answerOf } from './answer.ts'
import { type Server, startMainline } from './child.ts'
import { type Contender, compare, type Spread, spreadOf } from './compare.ts'
import { overHttp } from './create-set.ts'
import { withoutPast } from './left-out.ts'
import { copyWith, makeHomes } from './price.ts'
import type { Finding } from './report.ts'
import type { Circumstances, Row } from './row.ts'
import { creation, fill, makeStore, type Store } from './store.ts'

const clients = 64
/** Changes after which the moments lie: every one of them is another moment. */
const changes = 500
const hostsPerCall = 1_000
/** Interval of asking how far the past is behind. */
const lookEveryMs = 50

/** Reads as of a moment, each beside the same read of the present; and what deriving the past costs changes, beside a copy of the program without it. */
export const past: Row = {
  name: 'past',
  run: async (circumstances) => [
    ...(await treeThen(circumstances)),
    ...(await hostsThen(circumstances)),
    ...(await derived(circumstances)),
  ],
}

async function treeThen({ engine, plan, postgresUrl, profiles }: Circumstances): Promise<Finding[]> {
  const store = await makeStore(engine, postgresUrl)
  const [business = 0] = await fill(store, 1, plan.nodes)
  const server = await startMainline(store.flags, profiles)
  const { port } = server
  const sets = await send<{ info: { bk_set_id: number }[] }>(port, 'POST', `/set/search/0/${business}`, {
    page: { start: 0, limit: 200 },
    fields: ['bk_set_id'],
    condition: {},
  })
  const first = (await newest(port)) + 1
  for (let nth = 0; nth < changes; nth++) {
    const set = sets.info[nth % sets.info.length]?.bk_set_id
    await send(port, 'PUT', `/set/${business}/${set}`, { bk_biz_id: business, description: `turn ${nth}` })
  }
  const path = `/topo/inst/0/${business}`
  await untilDerived(port, 'GET', `${path}?as_of=position:${first}`)
  const live: number[] = []
  const then: number[] = []
  for (let turn = 0; turn < plan.repetitions; turn++) {
    const { path: making, body } = creation(business, `late ${turn}`)
    await answerOf(port, making, { method: 'POST', body: JSON.stringify(body) })
    live.push(await timeOf(port, 'GET', path))
    then.push(await timeOf(port, 'GET', `${path}?as_of=position:${momentAmong(first, turn, plan.repetitions)}`))
  }
  await server.stop()
  store.remove()
  const work = `get_inst_topo as of a moment, ${plan.nodes.toLocaleString('en')} nodes`
  const ratios = then.map((time, turn) => time / (live[turn] ?? Number.NaN))
  return [
    { key: 'past_tree', work: `${work}, beside the present`, engine, unit: 'x', atMost: 3, value: spreadOf(ratios) },
    ...besides(engine, 'tree', [then, live]),
  ]
}

async function hostsThen({ engine, plan, postgresUrl, profiles }: Circumstances): Promise<Finding[]> {
  const store = await makeStore(engine, postgresUrl)
  const [business = 0] = await fill(store, 1, 1)
  const server = await startMainline(store.flags, profiles)
  const { port } = server
  const ids: number[] = []
  for (let made = 0; made < plan.nodes; made += hostsPerCall) {
    const rows = Array.from({ length: Math.min(hostsPerCall, plan.nodes - made) }, (_, row) => addressOf(made + row))
    const host_info = Object.fromEntries(rows.map((bk_host_innerip, row) => [row, { bk_host_innerip }]))
    const added = await send<{ hosts: Record<string, number> }>(port, 'POST', '/hosts/add', {
      bk_biz_id: business,
      host_info,
    })
    ids.push(...Object.values(added.hosts))
  }
  const first = (await newest(port)) + 1
  for (let nth = 0; nth < changes; nth++) {
    const body = { bk_host_id: String(ids[(nth * 19) % ids.length]), bk_comment: `turn ${nth}` }
    await send(port, 'PUT', '/hosts/batch', body)
  }
  const page = (start: number) => ({
    bk_biz_id: business,
    ip: { data: [], exact: 0, flag: 'bk_host_innerip' },
    condition: [],
    page: { start, limit: 20, sort: '-bk_host_innerip' },
  })
  await untilDerived(port, 'POST', `/hosts/search?as_of=position:${first}`, page(0))
  const live: number[] = []
  const then: number[] = []
  for (let turn = 0; turn < plan.repetitions; turn++) {
    const moment = momentAmong(first, turn, plan.repetitions)
    live.push(await timeOf(port, 'POST', '/hosts/search', page(20 * turn)))
    then.push(await timeOf(port, 'POST', `/hosts/search?as_of=position:${moment}`, page(20 * turn)))
  }
  await server.stop()
  store.remove()
  const work = `page of ${plan.nodes.toLocaleString('en')} hosts of a business as of a moment`
  return [
    { key: 'past_hosts', work, engine, unit: 'ms', atMost: 300, value: spreadOf(then) },
    ...besides(engine, 'hosts', [[], live]),
  ]
}

/** How far the past is behind while changes are made as fast as possible, and what that costs them. */
async function derived({ engine, plan, postgresUrl, profiles }: Circumstances): Promise<Finding[]> {
  const [store, plainStore] = [await makeStore(engine, postgresUrl), await makeStore(engine, postgresUrl)]
  const server = await startMainline(store.flags, profiles)
  const plain = await startMainline(plainStore.flags, undefined, copyWith(withoutPast))
  const lags: number[] = []
  const measured = lagging(store, overHttp(server, await makeHomes(server), clients), lags)
  const limit = overHttp(plain, await makeHomes(plain), clients, 'without deriving the past')
  const comparison = await compare(measured, limit, plan)
  await Promise.all([server.stop(), plain.stop()])
  store.remove()
  plainStore.remove()
  const spent = comparison.turns.map((turn) => (turn.measured.processor ?? 0) / (turn.limit.processor ?? 0))
  const work = `create_set, ${clients} connections`
  return [
    { key: 'past_cost', work: `${work}, with and without the past`, engine, atLeast: 0.85, ...comparison },
    {
      key: 'past_cost_cpu',
      work: '  processor time with in without',
      engine,
      unit: 'x',
      atMost: Number.POSITIVE_INFINITY,
      value: spreadOf(spent),
    },
    {
      key: 'past_lag',
      work: `the past behind the log at most, ${work}`,
      engine,
      unit: 'ms',
      atMost: 1_000,
      // The first turn is the warm-up.
      value: spreadOf(lags.slice(1)),
    },
  ]
}

/** Adds the longest lag of each turn. */
function lagging(store: Store, { run, ...contender }: Contender, lags: number[]): Contender {
  return {
    ...contender,
    async run(milliseconds) {
      const { look, close } = await openLag(store)
      let longest = 0
      const timer = setInterval(async () => {
        longest = Math.max(longest, await look().catch(() => 0))
      }, lookEveryMs)
      try {
        return await run(milliseconds)
      } finally {
        clearInterval(timer)
        await close()
        lags.push(longest)
      }
    },
  }
}

/** The time of the oldest record that is no part of the past yet. */
const lagQuery = `SELECT (SELECT op_time FROM log WHERE log.position = past_head.position + 1) AS since FROM past_head`

/** Asks the database, as the server is busy. */
async function openLag(store: Store): Promise<{ look(): Promise<number>; close(): Promise<void> }> {
  const age = (since: unknown) => (since === null || since === undefined ? 0 : Date.now() - Number(since))
  if (store.databaseUrl === '') {
    const database = new DatabaseSync(join(store.dataDir, 'mainline.db'), { readOnly: true })
    const statement = database.prepare(lagQuery)
    return { look: async () => age(statement.get()?.since), close: async () => database.close() }
  }
  const client = new pg.Client(store.databaseUrl)
  await client.connect()
  return { look: async () => age((await client.query(lagQuery)).rows[0]?.since), close: () => client.end() }
}

/** Milliseconds of both sides, for comparison. */
const besides = (engine: Store['engine'], key: string, [then, live]: readonly [number[], number[]]): Finding[] =>
  [
    { key: `past_${key}_then`, work: '  as of a moment', times: then },
    { key: `past_${key}_live`, work: '  the same read of the present', times: live },
  ]
    .filter(({ times }) => times.length > 0)
    .map(({ times, ...each }) => ({ ...each, engine, ...figure(spreadOf(times)) }))

const figure = (value: Spread) => ({ unit: 'ms' as const, atMost: Number.POSITIVE_INFINITY, value })

const momentAmong = (first: number, turn: number, turns: number) => first + Math.floor((changes * (turn + 0.5)) / turns)

const addressOf = (nth: number) => `10.${nth >> 16}.${(nth >> 8) & 255}.${nth & 255}`

async function send<Data>(port: number, method: string, path: string, body: unknown): Promise<Data> {
  const answer = await answerOf(port, `/api/v3${path}`, { method, body: JSON.stringify(body) })
  const { result, bk_error_msg, data } = JSON.parse(answer.body)
  if (!result) throw new Error(bk_error_msg)
  return data
}

/** The position of the newest record. */
async function newest(port: number): Promise<number> {
  const { info } = await send<{ info: { position: number | null }[] }>(port, 'POST', '/audit/search', {
    start: 0,
    limit: 1,
    sort: '-op_time',
    condition: {},
  })
  const position = info[0]?.position
  return position ?? newest(port)
}

/** The server has just begun to derive the past; a read waits some seconds for it. */
async function untilDerived(port: number, method: string, path: string, body?: unknown): Promise<void> {
  const until = performance.now() + 120_000
  while (performance.now() < until) {
    const failed = await timeOf(port, method, path, body).then(
      () => undefined,
      (error: Error) => error,
    )
    if (!failed) return
    if (!failed.message.includes('answered 503')) throw failed
  }
  throw new Error('the past was not derived in time')
}

async function timeOf(port: Server['port'], method: string, path: string, body?: unknown): Promise<number> {
  const started = performance.now()
  await answerOf(port, `/api/v3${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) })
  return performance.now() - started
}
