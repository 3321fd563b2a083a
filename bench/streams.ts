import { setTimeout as pause } from 'node:timers/promises'
import { type Limit, residentOf, startLimit, startMainline } from './child.ts'
import { spreadOf } from './compare.ts'
import type { StreamQuestion, StreamTask, StreamTimes } from './limits/stream-clients.ts'
import type { Finding } from './report.ts'
import type { Plan, Row } from './row.ts'
import { creation, type EngineName, fill, makeStore } from './store.ts'

const path = '/api/v3/event/stream?resource=set'
/** Pause between changes, so that they do not overlap. */
const pauseMs = 200
/** Changes before memory is measured; the first ones are the warm-up. */
const warmUpChanges = 3
const kilo = 1_000

/** From sending a change until the last of so many streams has received it, compared with node:http writing the same bytes to as many. */
export const streams: Row = {
  name: 'streams',
  async run({ engine, plan, postgresUrl, profiles }) {
    const findings: Finding[] = []
    for (const count of plan.streams) findings.push(...(await measured(count, { engine, plan, postgresUrl, profiles })))
    return findings
  },
}

interface Terms {
  readonly engine: EngineName
  readonly plan: Plan
  readonly postgresUrl: string
  readonly profiles: string | undefined
}

async function measured(count: number, { engine, plan, postgresUrl, profiles }: Terms): Promise<Finding[]> {
  const store = await makeStore(engine, postgresUrl)
  const [business = 0] = await fill(store, 1, 0)
  const server = await startMainline([...store.flags, '--caller-watches=0'], profiles)
  const before = residentOf(server)
  const clients = await openStreams({ port: server.port, path, count })
  const changes = warmUpChanges + plan.repetitions * 2
  const { times, message } = await timed(clients, changes, (nth) => creation(business, `set ${nth}`))
  const memory = (residentOf(server) - before) / count / kilo
  await Promise.all([clients.stop(), server.stop()])
  store.remove()

  const bare = await startLimit<number>('bare-streams.ts', { message })
  const bareBefore = residentOf(bare)
  const bareClients = await openStreams({ port: bare.ready, path: '/', count })
  const limit = await timed(bareClients, changes, () => ({ path: '/', body: {} }))
  const bareMemory = (residentOf(bare) - bareBefore) / count / kilo
  await Promise.all([bareClients.stop(), bare.stop()])

  const name = `${count.toLocaleString('en')} streams`
  const time = { engine, unit: 'ms' } as const
  const key = `streams_${count}`
  return [
    {
      ...time,
      key,
      work: `from a change to the last of ${name}`,
      atMost: 75 * Math.max(1, count / 1_000),
      value: spreadOf(times.map(({ last }) => last)),
    },
    {
      ...time,
      key: `${key}_bare`,
      work: '  node:http, the same bytes',
      atMost: Number.POSITIVE_INFINITY,
      value: spreadOf(limit.times.map(({ last }) => last)),
    },
    {
      ...time,
      key: `${key}_answer`,
      work: `the change's own answer, ${name}`,
      atMost: 50,
      value: spreadOf(times.map(({ answered }) => answered)),
    },
    {
      engine,
      unit: 'kB',
      key: `${key}_memory`,
      work: `memory of each of ${name}`,
      atMost: 25,
      value: spreadOf([memory]),
    },
    {
      engine,
      unit: 'kB',
      key: `${key}_bare_memory`,
      work: '  node:http',
      atMost: Number.POSITIVE_INFINITY,
      value: spreadOf([bareMemory]),
    },
  ]
}

const openStreams = (task: StreamTask): Promise<Limit<number>> => startLimit<number>('stream-clients.ts', task)

async function timed(
  clients: Limit<number>,
  changes: number,
  question: (nth: number) => StreamQuestion,
): Promise<{ times: StreamTimes[]; message: string }> {
  const times: StreamTimes[] = []
  for (let nth = 0; nth < changes; nth++) {
    times.push(await clients.ask<StreamTimes>(question(nth)))
    await pause(pauseMs)
  }
  return { times: times.slice(warmUpChanges), message: times.at(-1)?.message ?? '' }
}
