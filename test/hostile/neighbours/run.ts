// npm run neighbours: the long form, on both engines.
import { parseArgs } from 'node:util'
import { startPostgres } from '../../../packages/server/src/testing/servers/postgres.ts'
import { attackers as all } from './attackers.ts'
import { p99 } from './neighbour.ts'
import { type AttackerName, type Outcome, openStreet, type Street } from './street.ts'

const usage = `Usage: npm run neighbours -- [flags]

  --seconds <n>      how long each attack takes (10)
  --hosts <n>        how many there are (20000)
  --engine <name>    one engine: sqlite, postgres
  --attacker <name>  one attacker: ${Object.keys(all).join(', ')}
`
const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    hosts: { type: 'string', default: '20000' },
    engine: { type: 'string' },
    attacker: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  process.stdout.write(usage)
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const among = <Name extends string>(names: readonly Name[], named: string | undefined) =>
  names.filter((name) => named === undefined || named === name)
const engines = among(['sqlite', 'postgres'], flags.engine)
const attackers = among<AttackerName>(Object.keys(all) as AttackerName[], flags.attacker)

const postgres = engines.includes('postgres') ? await startPostgres() : undefined
if (postgres) process.env.MAINLINE_TEST_POSTGRES = postgres.url
const violated: string[] = []
for (const engine of engines) {
  const street = await openStreet(engine, Number(flags.hosts))
  try {
    for (const attacker of attackers) {
      if (await run(street, engine, attacker)) violated.push(`${engine} ${attacker}`)
    }
  } finally {
    await street.close()
  }
}
await postgres?.stop()
process.stdout.write(
  violated.length === 0
    ? 'All goals are met.\n'
    : `Goals are broken beside ${violated.length}: ${violated.join(', ')}.\n`,
)
process.exit(violated.length === 0 ? 0 : 1)

async function run(street: Street, engine: string, attacker: AttackerName): Promise<boolean> {
  const calm = await street.calm(1_000)
  const outcome = await street.attack(attacker, Number(flags.seconds) * 1_000)
  const { latenciesMs, failures, p99Ms, slowdown, answers, grownMb, idleAfterMs } = outcome
  const figures = `p99 ${p99Ms.toFixed()} ms (calm ${p99(calm.latenciesMs).toFixed()}, slowdown by others ${slowdown.toFixed(1)}), ${latenciesMs.length} requests, ${failures.length} failed`
  const process_ = `${grownMb.toFixed()} MB grown, idle after ${idleAfterMs.toFixed()} ms`
  process.stdout.write(`${engine} ${attacker}: ${figures}; ${process_}; attacker got ${JSON.stringify(answers)}\n`)
  for (const failure of failures.slice(0, 5)) process.stdout.write(`  ${failure}\n`)
  const broken = brokenBy(outcome)
  for (const each of broken) process.stdout.write(`  broken: ${each}\n`)
  return broken.length > 0
}

function brokenBy({ failures, p99Ms, grownMb, idleAfterMs }: Outcome): string[] {
  return [
    ...(failures.length > 0 ? ['the neighbour is answered'] : []),
    ...(p99Ms > 500 ? ['the neighbour’s p99 is at most 500 ms'] : []),
    ...(grownMb > 150 ? ['resident memory grows by at most 150 MB'] : []),
    ...(idleAfterMs > 2_000 ? ['the server is idle within 2 s'] : []),
  ]
}
