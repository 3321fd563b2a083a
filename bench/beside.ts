import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createDatabase } from '../packages/server/src/testing/servers/postgres.ts'
import { type Child, residentOf, runMainline, startMainline } from './child.ts'
import { type Contender, compare, spreadOf } from './compare.ts'
import { load } from './load.ts'
import { adapt as adaptOurs } from './products/mainline.ts'
import { type Adapter, type Estate, type Product, type Start, type WorkName, works } from './products/product.ts'
import type { Finding } from './report.ts'
import type { Row } from './row.ts'
import { makeStore } from './store.ts'

const connections = 8
const large: Estate = { sets: 50, modulesPerSet: 5, hostsPerModule: 80 }
const small: Estate = { sets: 3, modulesPerSet: 2, hostsPerModule: 20 }
const mega = 1_000_000

export interface Other {
  /** The name of a product in `products/` that is installed and started, or the file of an adapter. */
  readonly product: string
  /** Where the product of a file answers. */
  readonly address: URL
  /** Its process, to compare memory too. */
  readonly pid?: number
}

/**
 * The same requests on the same estate, here and against another product on this machine: in alternating turns, in one run, and with a
 * token as identity.
 */
export const beside = (other: Other): Row => ({
  name: 'beside',
  async run({ engine, plan, postgresUrl, profiles }) {
    const estate = plan.hosts >= 100_000 ? large : small
    const { adapt, ...their } = await opened(other, postgresUrl)
    const store = await makeStore(engine, postgresUrl)
    const token = runMainline(['token', 'create', '--user=admin', ...store.flags]).trim()
    const server = await startMainline([...store.flags, '--auth=token', '--caller-rate=0'], profiles)
    const ours = await adaptOurs(new URL(`http://127.0.0.1:${server.port}`), estate, token)
    const theirs = await adapt(their.address, estate)

    const findings: Finding[] = []
    const both = (Object.keys(works) as WorkName[]).filter((name) => ours.works[name] && theirs.works[name])
    for (const name of both) {
      const comparison = await compare(doing(ours, name, server), doing(theirs, name, their.process), plan)
      findings.push({ key: `beside_${name}`, work: works[name], engine, atLeast: 1, ...comparison })
    }
    if (their.process) {
      const value = spreadOf([residentOf(server) / residentOf(their.process)])
      findings.push({
        key: 'beside_memory',
        work: 'resident memory, ours in theirs',
        engine,
        unit: 'x',
        atMost: 1,
        value,
      })
      const [own, others] = [server, their.process].map((each) => (residentOf(each) / mega).toFixed(0))
      process.stderr.write(`resident memory: ${own} MB here, ${others} MB at ${theirs.name}\n`)
    }
    await Promise.all([server.stop(), their.stop()])
    store.remove()
    return findings
  },
})

interface Opened {
  readonly adapt: Adapter
  readonly address: URL
  readonly process: Child | undefined
  stop(): Promise<void>
}

async function opened({ product, address, pid }: Other, postgresUrl: string): Promise<Opened> {
  const own = fileURLToPath(new URL(`./products/${product}.ts`, import.meta.url))
  const isNamed = existsSync(own)
  const file = isNamed ? own : resolve(product)
  const { adapt, start } = (await import(pathToFileURL(file).href)) as { adapt: Adapter; start?: Start }
  if (isNamed && start) {
    const started = await start(await createDatabase(postgresUrl))
    return { adapt, address: started.address, process: started, stop: () => started.stop() }
  }
  const stop = async () => {}
  return { adapt, address, process: pid === undefined ? undefined : { pid, stop }, stop }
}

function doing({ name, port, works }: Product, work: WorkName, process: Child | undefined): Contender {
  const { next, mark } = works[work] as NonNullable<Product['works'][WorkName]>
  return { name, process, run: (milliseconds) => load({ port, connections, milliseconds, next, mark }) }
}
