// Sends hostile requests to a running server, sequentially, and checks every response.
import { isUtf8 } from 'node:buffer'
import { Agent, request } from 'node:http'
import type { Endpoint, Envelope } from '@mainline/contract'
import fc from 'fast-check'
import { endpoints as everything } from '../../packages/server/src/commands/openapi.ts'
import type { TestStore } from '../../packages/server/src/testing/harness.ts'
import { furnish, removing } from '../accounts/furnish.ts'
import type { Ids } from '../accounts/requests.ts'
import { type Answer, fault, linesIn, mayHaveChanged, patience } from './judge.ts'
import { accounts, askedBy, type Call, callOf, type Hostile, hostile } from './requests.ts'
import { namesIn } from './shapes.ts'
import { openStateReader } from './state.ts'
import { makeWorld } from './world.ts'

interface Fuzzing {
  readonly url: string
  readonly store: TestStore
  readonly seed: number
  readonly requests: number
  /** The operations to call; all by default. */
  readonly endpoints?: readonly Endpoint[]
  /** Stops early, and reports it. */
  readonly until?: number
  onProgress?(sent: number): void
}

export interface Fuzzed {
  readonly sent: number
  readonly succeeded: number
  /** Operations that have succeeded at least once. */
  readonly reached: ReadonlySet<string>
  /** The number of file rows by result, as `import_hosts created`. */
  readonly rows: ReadonlyMap<string, number>
  readonly slowest: { readonly milliseconds: number; readonly call: string }
  /** The request, what was wrong with the response, and how to reproduce it. */
  readonly violations: readonly string[]
}

const batch = 250
/** Time limit for responses that wait on purpose, in milliseconds. */
const wait = 100

export async function fuzz({
  url,
  store,
  seed,
  requests,
  endpoints = everything,
  until = Infinity,
  onProgress,
}: Fuzzing): Promise<Fuzzed> {
  const seen = await settle(url)
  const world = await makeWorld(url)
  const state = await openStateReader(store)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const drawn = hostile(endpoints, fc.constantFrom(...namesIn(everything)))
  const reached = new Set<string>()
  const rows = new Map<string, number>()
  let [sent, succeeded, slowest] = [0, 0, { milliseconds: 0, call: '' }]

  /** What is wrong, if anything. */
  const judge = async (one: Hostile): Promise<string | undefined> => {
    const call = await callOf(one, { world, seen }, sent)
    const asked = askedBy(call, everything)
    await state.mark()
    const answer = await ask(url, agent, call, one.endpoint)
    sent++
    const said = `${call.method} ${call.path} ${JSON.stringify(call.headers)} ${shown(call.body)}`
    if (answer.milliseconds > slowest.milliseconds) slowest = { milliseconds: answer.milliseconds, call: said }
    const wrong = fault(asked, answer) ?? (await trace(call, asked, answer))
    await state.release()
    if (wrong) return `${said}\n  ${wrong}: ${answer.status} ${answer.text.slice(0, 1_000)}`
    if (answer.status !== 200 || answer.goesOn) return undefined
    succeeded++
    reached.add(one.endpoint.name)
    if (one.endpoint.takes) count(one.endpoint, answer)
    if (answer.text.length < 100_000) seen.collect(dataIn(answer.text))
    if (one.ids === null && removing(one.endpoint)) await world.renew(one.endpoint)
    return undefined
  }

  const count = ({ name }: Endpoint, { text }: Answer) => {
    for (const { outcome } of linesIn(text)) {
      if (outcome) rows.set(`${name} ${outcome}`, (rows.get(`${name} ${outcome}`) ?? 0) + 1)
    }
  }

  const trace = async ({ path }: Call, asked: readonly Endpoint[], answer: Answer) => {
    const changed = mayHaveChanged(asked, path, answer) ? [] : await state.changed()
    return changed.length > 0 ? `changed rows of ${changed.join(', ')}` : undefined
  }

  const violations: string[] = []
  try {
    for (let first = 0; first < requests && Date.now() < until; first += batch) {
      // Random requests instead of a property with shrinking: a smaller request would meet another state, so the original one is more useful. A run
      // ends when its time is up.
      if (first > 0) await world.renew()
      const drawing = { seed: seed + first, numRuns: Math.min(batch, requests - first) }
      for (const [nth, one] of fc.sample(drawn, drawing).entries()) {
        if (Date.now() >= until) break
        const wrong = await judge(one)
        if (wrong) violations.push(`seed ${drawing.seed}, request ${nth + 1}: ${wrong}`)
        onProgress?.(sent)
      }
    }
  } finally {
    agent.destroy()
    await state.close()
  }
  return { sent, succeeded, reached, rows, slowest, violations }
}

/** Creates the accounts, and collects ids of one that most requests are not for. */
async function settle(url: string): Promise<Ids> {
  const agent = new Agent()
  for (const account of accounts) {
    const path = `/api/v3/topo/model/${encodeURIComponent(account)}`
    await ask(url, agent, { method: 'GET', path, headers: {}, body: undefined })
  }
  const other = { account: 'beta', mark: { name: 'beta', user: 'bob', network: '10.88.' } }
  return (await furnish({ url }, other, { HTTP_BK_SUPPLIER_ACCOUNT: other.account })).ids
}

/** Of a workbook only its type: the seed reproduces it. */
function shown(body: Call['body']): string {
  if (typeof body !== 'object') return String(body?.slice(0, 2_000))
  return isUtf8(body) ? Buffer.from(body).toString().slice(0, 2_000) : `${body.length} bytes`
}

function dataIn(text: string): unknown {
  try {
    return (JSON.parse(text) as Envelope).data
  } catch {
    return undefined
  }
}

/** Sends the exact bytes. A response that may run indefinitely is aborted after a moment, any other must end in time. */
function ask(url: string, agent: Agent, { method, path, headers, body }: Call, endpoint?: Endpoint): Promise<Answer> {
  const started = performance.now()
  const waits = endpoint !== undefined && goesOnForEver(endpoint)
  return new Promise((resolve) => {
    const bytes = Buffer.from(body ?? '')
    // Time limit in total: for connecting, for the head, and for the last byte of the response.
    const signal = AbortSignal.timeout(waits ? wait : patience + 1_000)
    const sent = request(url, { method, path, agent, signal, headers: { 'content-length': bytes.length, ...headers } })
    const answered = (status: number, headers: Answer['headers'], text: string, goesOn = false) =>
      resolve({ status, headers, text, goesOn, milliseconds: performance.now() - started })
    const broken = (error: Error) => answered(waits ? 200 : 0, {}, waits ? '' : error.message, waits)
    sent.once('response', (answer) => {
      const whole = (parts: Buffer[]) =>
        answered(answer.statusCode ?? 0, answer.headers, Buffer.concat(parts).toString())
      answer.toArray().then(whole, broken)
    })
    sent.once('error', broken)
    sent.end(bytes)
  })
}

const goesOnForEver = ({ effect }: Endpoint) => effect === 'watch'
