import { pathToFileURL } from 'node:url'
import { type Child, residentOf, startMainline } from './child.ts'
import { type Contender, compare, spreadOf } from './compare.ts'
import { load } from './load.ts'
import { adapt as adaptOurs } from './products/mainline.ts'
import { type Adapter, type Estate, type Product, type WorkName, works } from './products/product.ts'
import type { Finding } from './report.ts'
import type { Row } from './row.ts'
import { makeStore } from './store.ts'

const connections = 8
const large: Estate = { sets: 50, modulesPerSet: 5, hostsPerModule: 40 }
const small: Estate = { sets: 3, modulesPerSet: 2, hostsPerModule: 20 }
const mega = 1_000_000

export interface Other {
  /** The file that exports its adapter. */
  readonly adapter: string
  readonly address: URL
  /** Its process, if its memory is to be compared, too. */
  readonly pid?: number
}

/** The same work on the same estate, here and at another product that runs on this machine: by turns, in one run. */
export const beside = (other: Other): Row => ({
  name: 'beside',
  async run({ engine, plan, postgresUrl, profiles }) {
    const estate = plan.hosts >= 100_000 ? large : small
    const { adapt } = (await import(pathToFileURL(other.adapter).href)) as { adapt: Adapter }
    const store = await makeStore(engine, postgresUrl)
    const server = await startMainline(store.flags, profiles)
    const ours = await adaptOurs(new URL(`http://127.0.0.1:${server.port}`), estate)
    const theirs = await adapt(other.address, estate)
    const their: Child | undefined = other.pid === undefined ? undefined : { pid: other.pid, stop: async () => {} }

    const findings: Finding[] = []
    const both = (Object.keys(works) as WorkName[]).filter((name) => ours.works[name] && theirs.works[name])
    for (const name of both) {
      const comparison = await compare(doing(ours, name, server), doing(theirs, name, their), plan)
      findings.push({ key: `beside_${name}`, work: works[name], engine, atLeast: 1, ...comparison })
    }
    if (their) {
      const value = spreadOf([residentOf(server) / residentOf(their)])
      findings.push({
        key: 'beside_memory',
        work: 'resident memory, ours in theirs',
        engine,
        unit: 'x',
        atMost: 1,
        value,
      })
      const [own, others] = [server, their].map((each) => (residentOf(each) / mega).toFixed(0))
      process.stderr.write(`resident memory: ${own} MB here, ${others} MB at ${theirs.name}\n`)
    }
    await server.stop()
    store.remove()
    return findings
  },
})

function doing({ name, port, works }: Product, work: WorkName, process: Child | undefined): Contender {
  const { next, mark } = works[work] as NonNullable<Product['works'][WorkName]>
  return { name, process, run: (milliseconds) => load({ port, connections, milliseconds, next, mark }) }
}
