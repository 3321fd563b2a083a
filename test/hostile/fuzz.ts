// npm run fuzz: the long form, on both engines, against a server in its own process.
import { parseArgs } from 'node:util'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { type EngineName, makeStore } from '../../packages/server/src/testing/harness.ts'
import { inspected } from '../../packages/server/src/testing/inspect/heap.ts'
import { spawnServer } from '../../packages/server/src/testing/process.ts'
import { startPostgres } from '../../packages/server/src/testing/servers/postgres.ts'
import { crowd } from './crowd.ts'
import { type Fuzzed, fuzz } from './fuzzing.ts'

const usage = `Usage: npm run fuzz -- [flags]

  --requests <n>   how many to send to each engine (10000)
  --minutes <n>    at most so long for each engine (20)
  --engine <name>  one engine: sqlite, postgres
  --only <names>   only these operations, as import_hosts,import_topology
  --seed <n>       the seed that a violation was reported with
`
const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '20' },
    engine: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  process.stdout.write(usage)
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Allowed growth of a server in megabytes: its caches are bounded, however long it runs. */
const mostKept = 100

const only = flags.only?.split(',')
const asked = endpoints.filter(({ name }) => only?.includes(name) ?? true)
if (asked.length < (only?.length ?? 1)) {
  process.stderr.write(`There is no such operation among ${flags.only}.\n`)
  process.exit(2)
}

const engines = (['sqlite', 'postgres'] as const).filter((engine) =>
  [undefined, engine].includes(flags.engine as never),
)
const postgres = engines.includes('postgres') ? await startPostgres() : undefined
if (postgres) process.env.MAINLINE_TEST_POSTGRES = postgres.url
let violated = false
for (const engine of engines) violated = (await run(engine)) || violated
await postgres?.stop()
process.exit(violated ? 1 : 0)

async function run(engine: EngineName): Promise<boolean> {
  const seed = Number(flags.seed)
  const requests = Number(flags.requests)
  const store = await makeStore(engine)
  const server = await spawnServer(store, [], inspected)
  server.child.stderr?.on('data', (said) => process.stderr.write(said))
  server.child.stdout?.on('data', (said) => process.stderr.write(said))
  const [started, before] = [Date.now(), await server.heap()]
  let shown = 0
  const show = (sent: number) => {
    if (Date.now() < shown + 1_000) return
    shown = Date.now()
    process.stderr.write(`\r${engine} ${sent} of ${requests} requests, ${elapsed(started)} `)
  }
  try {
    const done = await fuzz({
      url: server.url,
      store,
      seed,
      requests,
      endpoints: asked,
      until: started + Number(flags.minutes) * 60_000,
      onProgress: show,
    })
    process.stderr.write('\n')
    for (const violation of done.violations) process.stdout.write(`\n${violation}\n`)
    const after = await server.heap()
    process.stdout.write(
      `${engine}: ${done.sent} requests in ${elapsed(started)}, ${done.succeeded} succeeded, ${done.reached.size} operations reached, ` +
        `${rowsIn(done)} rows of files, ${done.violations.length} violations; ${before.toFixed()} -> ${after.toFixed()} MB in use; ` +
        `slowest ${Math.round(done.slowest.milliseconds)} ms: ${done.slowest.call.slice(0, 200)}\n`,
    )
    const grown = after > before + mostKept
    if (grown) process.stdout.write(`${engine}: it contains more than ${mostKept} MB more than at the start\n`)
    const served = await besideCrowd(server.url)
    return done.violations.length > 0 || grown || !served
  } finally {
    await server.end('SIGTERM')
    store.remove()
  }
}

/** Ten thousand silent connections do not block other clients. */
async function besideCrowd(url: string): Promise<boolean> {
  const before = await memory(url)
  const there = await crowd(url, 10_000)
  const started = performance.now()
  const answer = await fetch(`${url}/api/v3/topo/model/0`)
  const took = Math.round(performance.now() - started)
  process.stdout.write(
    `beside ${there.size} idle connections: ${answer.status} in ${took} ms; memory ${before} -> ${await memory(url)} MB\n`,
  )
  there.leave()
  return answer.status === 200 && took < 5_000
}

async function memory(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Math.round(Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1e6)
}

function rowsIn({ rows }: Fuzzed): number {
  return rows.values().reduce((sum, count) => sum + count, 0)
}

function elapsed(since: number): string {
  return `${Math.round((Date.now() - since) / 1000)} s`
}
