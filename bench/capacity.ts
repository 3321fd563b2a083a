// node bench/capacity.ts: measures the tables of docs/guides/capacity.md on this machine.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../packages/server/src/testing/servers/postgres.ts'
import { answerOf } from './answer.ts'
import { residentOf, startMainline, untilAtRest } from './child.ts'
import { overHttp } from './create-set.ts'
import { searches } from './growth.ts'
import { type EngineName, fill, loadDemo, makeStore, type Store } from './store.ts'

const { values: flags } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    clients: { type: 'string', default: '1,4,16,64' },
    workers: { type: 'string', default: '1' },
    /** Number of logs numbered concurrently, PostgreSQL only. */
    logs: { type: 'string', default: '1,2' },
    /** Without fsync in PostgreSQL; for SQLite, TMPDIR in memory does the same. */
    'free-disk': { type: 'boolean', default: false },
  },
})
const numbers = (list: string) => list.split(',').filter(Boolean).map(Number)
const engine = flags.engine as EngineName
const postgres = engine === 'postgres' ? await startPostgres({ fsync: flags['free-disk'] ? 'off' : 'on' }) : undefined
const [mega, milliseconds] = [1_000_000, 3_000]
const recordsToNumber = 100_000
const whole = (value: number) => Math.round(value).toLocaleString('en')
const write = (...cells: (string | number)[]) => console.log(`| ${cells.join(' | ')} |`)

try {
  await sizes()
  await ceiling()
  if (postgres) await numbering()
} finally {
  await postgres?.stop()
}

/** The size of an estate, and the cost of a page and of a tree. */
async function sizes(): Promise<void> {
  write('hosts', 'loaded in', 'on disk', 'memory', 'by ip', 'by module', 'by set', 'two attributes', 'tree, first')
  for (const hosts of numbers(flags.sizes)) {
    const store = await makeStore(engine, postgres?.url ?? '')
    const began = performance.now()
    await loadDemo(store, hosts)
    const loaded = (performance.now() - began) / 1_000
    const server = await startMainline(store.flags)
    await untilAtRest(server)
    const started = performance.now()
    await answerOf(server.port, '/api/v3/topo/inst/0/2')
    const tree = performance.now() - started
    const found = [...(await searches(server, { repetitions: 5 })).values()].map(
      ({ median }) => `${median.toFixed(1)} ms`,
    )
    const memory = `${whole(residentOf(server) / mega)} MB`
    write(
      whole(hosts),
      `${whole(loaded)} s`,
      `${whole((await sizeOf(store)) / mega)} MB`,
      memory,
      ...found,
      `${whole(tree)} ms`,
    )
    await server.stop()
    store.remove()
  }
}

/** Durable changes per second, by clients and processes. */
async function ceiling(): Promise<void> {
  console.log()
  write('processes', 'clients', 'changes a second', 'p50', 'p99')
  for (const workers of numbers(flags.workers)) {
    const store = await makeStore(engine, postgres?.url ?? '')
    const businesses = (await fill(store, 64, 0)).map((business) => ({ business }))
    const server = await startMainline([...store.flags, `--workers=${workers}`])
    for (const clients of numbers(flags.clients)) {
      const { run } = overHttp(server, businesses, clients)
      await run(milliseconds / 3)
      const { perSecond, p50, p99 = 0 } = await run(milliseconds)
      write(workers, clients, whole(perSecond), `${(p50 / 1_000).toFixed(1)} ms`, `${(p99 / 1_000).toFixed(1)} ms`)
    }
    await server.stop()
    store.remove()
  }
}

/** Records numbered per second: in one log, and in several, as if every account had its own. */
async function numbering(): Promise<void> {
  console.log()
  write('logs', 'records numbered a second')
  for (const logs of numbers(flags.logs)) {
    const stores = await Promise.all(Array.from({ length: logs }, () => makeStore(engine, postgres?.url ?? '')))
    for (const store of stores) await fill(store, 1, recordsToNumber)
    const rates = await Promise.all(stores.map(numberingRate))
    write(logs, whole(rates.reduce((sum, rate) => sum + rate)))
    for (const store of stores) store.remove()
  }
}

/** Removes the positions of all records, and measures how fast a server assigns them again. */
async function numberingRate(store: Store): Promise<number> {
  const client = new pg.Client(store.databaseUrl)
  await client.connect()
  await client.query('UPDATE log SET position = NULL')
  await client.query('UPDATE log_head SET position = 0')
  await client.query('DELETE FROM seal')
  await client.query('VACUUM ANALYZE log')
  const server = await startMainline(store.flags)
  const numbered = async () => Number((await client.query('SELECT position FROM log_head')).rows[0].position)
  const last = Number((await client.query('SELECT count(*) FROM log')).rows[0].count)
  const [first, began] = [await numbered(), performance.now()]
  while ((await numbered()) < last) await pause(5)
  const took = (performance.now() - began) / 1_000
  await Promise.all([client.end(), server.stop()])
  return (last - first) / took
}

async function sizeOf({ dataDir, databaseUrl }: Store): Promise<number> {
  if (!databaseUrl) return readdirSync(dataDir).reduce((sum, file) => sum + statSync(join(dataDir, file)).size, 0)
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query('SELECT pg_database_size(current_database()) AS size')
  await client.end()
  return Number(rows[0].size)
}
