import { answerOf } from './answer.ts'
import { type Server, startLimit, startMainline, untilAtRest } from './child.ts'
import { type Contender, compare } from './compare.ts'
import { load, post } from './load.ts'
import type { Finding } from './report.ts'
import type { Row } from './row.ts'
import { loadDemo, makeStore } from './store.ts'

const connections = 16
const path = '/api/v3/hosts/search'

interface Filter {
  readonly field: string
  readonly operator: string
  readonly value: unknown
}

const byHost = (fields: readonly string[], condition: readonly Filter[]) => ({ bk_obj_id: 'host', fields, condition })

/** A condition that was not asked before: none of the further values is that of a host. */
const cores = (nth: number): Filter => ({ field: 'bk_cpu', operator: '$in', value: [8, 16, 1_000_000 + nth] })
const linux: Filter = { field: 'bk_os_type', operator: '$eq', value: '1' }

/** Over the whole estate, each time another condition. */
const searches: Record<
  string,
  { readonly work: string; readonly atLeast: number; readonly bodyOf: (nth: number) => unknown }
> = {
  hosts_page: {
    work: 'page of 20 and count by bk_cpu and bk_os_type',
    atLeast: 0.05,
    bodyOf: (nth) => ({ page: { limit: 20 }, condition: [byHost([], [cores(nth), linux])] }),
  },
  hosts_count: {
    work: 'count by bk_cpu',
    atLeast: 0.05,
    bodyOf: (nth) => ({ page: { limit: 1 }, condition: [byHost(['bk_host_id'], [cores(nth)])] }),
  },
  hosts_part: {
    work: 'page of 20 and count by a part of the name',
    atLeast: 0.05,
    bodyOf: (nth) => {
      const part = { field: 'bk_host_name', operator: '$regex', value: `(?i)${nth % 100}|${1_000_000 + nth}` }
      return { page: { limit: 20 }, condition: [byHost([], [part])] }
    },
  },
}

/** Searches of hosts over the whole estate, compared with a bare Fastify that sends the same bytes in response to each. */
export const searchHosts: Row = {
  name: 'search_hosts',
  async run({ engine, plan, postgresUrl, profiles }) {
    const store = await makeStore(engine, postgresUrl)
    await loadDemo(store, plan.hosts)
    const server = await startMainline(store.flags, profiles)
    await untilAtRest(server)
    const estate = `${plan.hosts.toLocaleString('en')} hosts, each time another condition`
    const findings: Finding[] = []
    for (const [key, { work, atLeast, bodyOf }] of Object.entries(searches)) {
      const bare = await startLimit<number>('bare-fastify.ts', await answerTo(server, bodyOf(0)))
      let count = 0
      const loading = (port: number): Contender['run'] => {
        const next = () => post(path, bodyOf(++count))
        return (milliseconds) => load({ port, connections, milliseconds, next, mark: '"result":true' })
      }
      const comparison = await compare(
        { name: 'mainline', process: server, run: loading(server.port) },
        { name: 'bare Fastify, same bytes', process: bare, run: loading(bare.ready) },
        plan,
      )
      await bare.stop()
      findings.push({ key, work: `search hosts, ${work}; ${estate}`, engine, atLeast, ...comparison })
    }
    await server.stop()
    store.remove()
    return findings
  },
}

const answerTo = ({ port }: Server, body: unknown) =>
  answerOf(port, path, { method: 'POST', body: JSON.stringify(body) })
