// npm run faults: the long form. One world after another, each with all faults in a random order.
import { parseArgs } from 'node:util'
import { waysBack } from './histories.ts'
import { type Fault, faults } from './kinds.ts'
import { type Random, randomOf } from './random.ts'
import { judgeSizes, type Report, round } from './round.ts'
import { makeWorld } from './world.ts'

const engines = ['sqlite', 'postgres'] as const
type EngineName = (typeof engines)[number]

const usage = `Usage: npm run faults -- [flags]

  --minutes <n>    how long on each engine (10)
  --engine <name>  one engine: ${engines.join(', ')}
  --seed <n>       the same draws as a run that printed it
  --only <text>    faults whose name contains it
`

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: process.env.FAULTS_MINUTES ?? '10' },
    engine: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})
const wanted = engines.filter((engine) => flags.engine === undefined || engine === flags.engine)
const minutes = Number(flags.minutes)
if (flags.help || wanted.length === 0 || !(minutes > 0)) {
  process.stdout.write(usage)
  process.exit(flags.help ? 0 : 1)
}
// Through process.exit, so that servers and mounted disks are removed too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const say = (line: string) => process.stdout.write(`${line}\n`)
let found = 0
for (const engine of wanted) found += await torment(engine, Number(flags.seed ?? Date.now() % 1_000_000))
say(found === 0 ? '\nNo violation.' : `\n${found} violations.`)
process.exit(found === 0 ? 0 : 1)

async function torment(engine: EngineName, firstSeed: number): Promise<number> {
  const until = performance.now() + minutes * 60_000
  let violations = 0
  const sum = { rounds: 0, acknowledged: 0, refused: 0, unknown: 0, events: 0, absence: 0, delivery: 0 }
  for (let seed = firstSeed; performance.now() < until && violations === 0; seed++) {
    say(`\n${engine}, seed ${seed}`)
    const random = randomOf(seed)
    const world = await makeWorld({ engine, seed, random, clients: 8, servers: engine === 'sqlite' ? 1 : 3, rest: 40 })
    const reports: Report[] = []
    try {
      for (const fault of shuffled(
        faults[engine].filter(({ name }) => name.includes(flags.only)),
        random,
      )) {
        const lacks = fault.lacks?.(world)
        if (lacks) say(`  ${fault.name}: left out, since ${lacks}`)
        if (lacks || performance.now() > until) continue
        const report = await round(world, fault, random, { before: 1_000, after: 1_000, bound: 10_000 })
        reports.push(report)
        say(lineOf(report))
        for (const violation of report.violations.slice(0, 20)) say(`    VIOLATION ${violation}`)
        violations += report.violations.length
        if (report.violations.length === 0) continue
        for (const line of await world.deliveries()) say(`    ${line}`)
        for (const [complaint, times] of world.complaints) say(`    ${times} times in the servers' logs: ${complaint}`)
        break
      }
      const sizes = judgeSizes(reports.map(({ size }) => size))
      for (const size of sizes) say(`    VIOLATION ${size}`)
      violations += sizes.length
    } finally {
      await world.close()
    }
    for (const { calls, absence, delivery } of reports) {
      sum.rounds++
      for (const outcome of ['acknowledged', 'refused', 'unknown'] as const) sum[outcome] += calls[outcome]
      sum.absence = Math.max(sum.absence, absence)
      sum.delivery = Math.max(sum.delivery, delivery)
    }
    sum.events += reports.at(-1)?.events ?? 0
    if (violations === 0) violations += await goBack(engine, until, () => sum.rounds++)
  }
  const { rounds, acknowledged, refused, unknown, events, absence, delivery } = sum
  say(
    `\n${engine}: ${rounds} faults, ${acknowledged} changes acknowledged, ${refused} refused, ${unknown} unknown, ${events} events sent`,
  )
  say(
    `  longest until every server took changes again ${absence.toFixed()} ms, until the last event had arrived ${delivery.toFixed()} ms`,
  )
  return violations
}

/** In separate databases, since clients of a world would miss what is lost there. */
async function goBack(engine: EngineName, until: number, onDone: () => void): Promise<number> {
  for (const { name, run } of waysBack[engine].filter((way) => way.name.includes(flags.only))) {
    if (performance.now() > until) return 0
    const failure = await run(4).then(
      () => undefined,
      (error: Error) => error,
    )
    say(`  ${name}${failure ? `\n    VIOLATION ${failure.stack}` : ''}`)
    onDone()
    if (failure) return 1
  }
  return 0
}

function lineOf({ fault, calls, absence, delivery, size }: Report): string {
  const told = `${calls.acknowledged} acknowledged, ${calls.refused} refused, ${calls.unknown} unknown`
  const sizes = size
    .map(({ megabytes, heap, descriptors }) => `${megabytes.toFixed()} MB (${heap.toFixed()} held) ${descriptors} fd`)
    .join(', ')
  return `  ${fault.padEnd(48)} ${told}; back in ${absence.toFixed()} ms, events in ${delivery.toFixed()} ms; ${sizes}`
}

function shuffled(list: readonly Fault[], random: Random): Fault[] {
  return list
    .map((fault) => ({ fault, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ fault }) => fault)
}
