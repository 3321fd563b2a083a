// npm run bench: the performance goals of the design, each figure beside its limit in the same run.
import { mkdirSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../packages/server/src/testing/servers/postgres.ts'
import { addHosts } from './add-hosts.ts'
import { collapses, readBaseline, saveBaseline } from './baseline.ts'
import { beside } from './beside.ts'
import { browsing } from './console.ts'
import { createSet } from './create-set.ts'
import { customQuery } from './custom-query.ts'
import { delivery, parallelDelivery } from './delivery.ts'
import { fairness } from './fairness.ts'
import { growth } from './growth.ts'
import { guard } from './guard.ts'
import { idle } from './idle.ts'
import { level } from './level.ts'
import { past } from './past.ts'
import { price } from './price.ts'
import { profilesIn } from './profile.ts'
import { type Finding, legend, tableOf } from './report.ts'
import { type Circumstances, fullPlan, type Row, shortPlan } from './row.ts'
import { searchHosts } from './search-hosts.ts'
import { searchSet } from './search-set.ts'
import { start } from './start.ts'
import type { EngineName } from './store.ts'
import { streams } from './streams.ts'
import { tree } from './tree.ts'
import { workers } from './workers.ts'

const rows: readonly Row[] = [
  tree,
  searchSet,
  searchHosts,
  customQuery,
  createSet,
  addHosts,
  guard,
  delivery,
  parallelDelivery,
  price,
  streams,
  idle,
  level,
  past,
  fairness,
  workers,
  growth,
  start,
  browsing,
]
const engines: readonly EngineName[] = ['sqlite', 'postgres']

const usage = `Usage: npm run bench -- [flags]

  --short          a few repetitions of a moment each; fails when a ratio is three times in a row below a third of
                   bench/baseline.json
  --only <rows>    a comma list of ${rows.map((row) => row.name).join(', ')}
  --engine <name>  one engine: ${engines.join(', ')}
  --json           JSON in place of the table
  --beside <name>  in place of the table: the same work here and at another product. directus or etcd is installed into a temporary
                   folder from npm or Debian; or the file of an adapter (see bench/products/product.ts) for a product that
                   runs on this machine
  --address <url>  where the product of a file answers
  --pid <number>   its process, when memory is to be compared
  --profile <dir>  writes processor profiles of the servers there and lists where their time went
  --save           writes the ratios to bench/baseline.json and draws docs/images/bench.svg
`

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    engine: { type: 'string' },
    json: { type: 'boolean', default: false },
    beside: { type: 'string' },
    address: { type: 'string', default: 'http://127.0.0.1:8080' },
    pid: { type: 'string' },
    profile: { type: 'string' },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const wantedRows = flags.beside
  ? [
      beside({
        product: flags.beside,
        address: new URL(flags.address),
        ...(flags.pid && { pid: Number(flags.pid) }),
      }),
    ]
  : rows.filter((row) => flags.only === undefined || flags.only.split(',').includes(row.name))
const wantedEngines = engines.filter((engine) => flags.engine === undefined || engine === flags.engine)
if (flags.help || wantedRows.length === 0 || wantedEngines.length === 0) {
  process.stdout.write(usage)
  process.exit(flags.help ? 0 : 1)
}
// Through process.exit, so that children and temporary stores are removed too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const before = machine()
const findings = await measure(flags.profile && resolve(flags.profile))
if (flags.json) console.log(JSON.stringify({ before, after: machine(), findings }, null, 2))
else console.log(`\n${describe(before)}\n\n${tableOf(findings)}\n\n${legend}`)
if (flags.profile) console.error(`\n${profilesIn(resolve(flags.profile))}`)
if (flags.save) saveBaseline(findings)
if (flags.short) failOnCollapse()

async function measure(profiles: string | undefined): Promise<Finding[]> {
  const plan = flags.short ? shortPlan : fullPlan
  if (profiles) mkdirSync(profiles, { recursive: true })
  // Durable commits are part of what is measured.
  const postgres = flags.beside || wantedEngines.includes('postgres') ? await startPostgres({ fsync: 'on' }) : undefined
  const found: Finding[] = []
  try {
    for (const row of wantedRows) {
      for (const engine of wantedEngines) {
        process.stderr.write(`${row.name} on ${engine} ...\n`)
        found.push(...(await measured(row, { engine, plan, postgresUrl: postgres?.url ?? '', profiles })))
      }
    }
    return found
  } finally {
    await postgres?.stop()
  }
}

/** Ratios hold on a busy machine, absolute figures do not: report the load before the first measurement. */
function machine() {
  return { model: cpus()[0]?.model.trim(), cores: cpus().length, node: process.versions.node, load: loadavg()[0] ?? 0 }
}

function describe({ model, cores, node, load }: ReturnType<typeof machine>): string {
  return `${model}, ${cores} cores, Node ${node}; load before the run ${load.toFixed(1)}`
}

/** A turn of the short form can coincide with a stall of the machine; three in a row do not. */
async function measured(row: Row, circumstances: Circumstances): Promise<Finding[]> {
  let found = await row.run(circumstances)
  const tries = flags.short ? 3 : 1
  for (let tried = 1; tried < tries && collapses(found, readBaseline()).length > 0; tried++) {
    found = await row.run(circumstances)
  }
  return found
}

function failOnCollapse(): void {
  const broken = collapses(findings, readBaseline())
  for (const line of broken) console.error(`COLLAPSED: ${line}`)
  if (broken.length > 0) process.exitCode = 1
}
