// A caller with ordinary work, who should not notice what others do.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export interface Noticed {
  readonly latenciesMs: number[]
  /** Requests with an unexpected response. */
  readonly failures: string[]
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** Pause between two of its requests. */
const pauseMs = 10
let made = 0

/** Typical requests of a user of the console, or of a script. */
function ordinary(business: number): Asked[] {
  const page = { start: 0, limit: 20 }
  const name = `set ${process.pid} ${Date.now()} ${made++}`
  return [
    { method: 'GET', path: `/topo/inst/0/${business}` },
    { method: 'POST', path: `/set/search/0/${business}`, body: { page, fields: [], condition: {} } },
    { method: 'POST', path: '/hosts/search', body: { bk_biz_id: business, page } },
    { method: 'POST', path: '/audit/search', body: { condition: { bk_biz_id: business }, limit: 10 } },
    {
      ...{ method: 'POST', path: `/set/${business}` },
      body: { bk_biz_id: business, bk_parent_id: business, bk_supplier_account: '0', bk_set_name: name },
    },
    {
      ...{ method: 'POST', path: `/set/search/0/${business}` },
      body: { page, fields: [], condition: { bk_set_name: { $regex: '^set.*1$' } } },
    },
  ]
}

export async function live(url: string, token: string, business: number, milliseconds: number): Promise<Noticed> {
  const agent = new Agent({ keepAlive: true })
  const noticed: Noticed = { latenciesMs: [], failures: [] }
  const until = performance.now() + milliseconds
  while (performance.now() < until) {
    for (const asked of ordinary(business)) {
      const started = performance.now()
      const { status, text } = await send(url, token, agent, asked)
      noticed.latenciesMs.push(performance.now() - started)
      if (status !== 200) noticed.failures.push(`${asked.method} ${asked.path}: ${status} ${text.slice(0, 200)}`)
      await pause(pauseMs)
    }
  }
  agent.destroy()
  return noticed
}

/** A pattern search over all hosts: more than is matched on the event loop. */
export async function searchAll(url: string, token: string): Promise<void> {
  const agent = new Agent()
  const condition = [{ field: 'bk_host_name', operator: '$regex', value: '^host .*7$' }]
  const body = { condition: [{ bk_obj_id: 'host', fields: [], condition }] }
  await send(url, token, agent, { method: 'POST', path: '/hosts/search', body })
  agent.destroy()
}

function send(url: string, token: string, agent: Agent, { method, path, body }: Asked) {
  return new Promise<{ status: number; text: string }>((resolve) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = request(`${url}/api/v3${path}`, { method, agent, headers }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString()
      resolve({ status: answer.statusCode ?? 0, text })
    })
    sent.once('error', (error) => resolve({ status: 0, text: String(error) }))
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** The 99th percentile, but at least two requests are excluded in a short run. */
export function p99(latenciesMs: readonly number[]): number {
  const sorted = latenciesMs.toSorted((one, other) => other - one)
  return sorted[Math.min(sorted.length - 1, Math.max(2, Math.floor(sorted.length / 100)))] ?? 0
}
