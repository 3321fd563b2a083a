import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { openService } from '../packages/server/src/service.ts'
import { startReceiver } from '../packages/server/src/testing/servers/receiver.ts'
import { answerOf } from './answer.ts'
import { type Limit, type Server, startLimit, startMainline } from './child.ts'
import { type Contender, compare, type Spread, spreadOf } from './compare.ts'
import { type Arrived, type Receiving, valve } from './limits/receiver.ts'
import type { PostTask } from './limits/undici-loop.ts'
import type { Finding } from './report.ts'
import type { Plan, Row } from './row.ts'
import { configOf, creation, type EngineName, fill, makeStore, type Store } from './store.ts'

/** Between changes, in milliseconds: long enough for everything to become idle. */
const idleFor = 100

/** A receiver that takes this long, and how many events it may be sent at a time. */
const slowMs = 50
const mostParallel = 32

/** Events pushed to subscriptions from a full log, compared with undici posting the same bodies in as many loops. */
export const delivery: Row = {
  name: 'delivery',
  async run({ engine, plan, postgresUrl, profiles }) {
    const findings: Finding[] = []
    for (const subscriptions of [1, 100]) {
      const store = await makeStore(engine, postgresUrl)
      const receiver = await startLimit<number>('receiver.ts', {})
      const url = `http://127.0.0.1:${receiver.ready}/`
      await subscribe(store, url.replace(/\/$/, valve), subscriptions)
      await fill(store, 1, plan.events)

      const server = await startMainline(store.flags, profiles)
      const mainline = sending(server, receiver, subscriptions)
      await mainline.run(plan.milliseconds)
      const { first: pushes } = await receiver.ask<Arrived>({ open: false })
      const limit = await startLimit<string>('undici-loop.ts', { url, loops: subscriptions, pushes } satisfies PostTask)
      const undici: Contender = {
        name: 'undici, same bodies in as many loops',
        process: limit,
        run: (milliseconds) => limit.ask({ milliseconds }),
      }
      const comparison = await compare(mainline, undici, plan)
      await Promise.all([server.stop(), limit.stop(), receiver.stop()])
      store.remove()
      const work = `event delivery, ${subscriptions} subscription${subscriptions > 1 ? 's' : ''}`
      findings.push({ key: `delivery_${subscriptions}`, work, engine, atLeast: 0.5, ...comparison })
    }
    const value = await promptness(engine, plan, postgresUrl)
    const work = 'from sending create_set to its event, idle'
    return [...findings, { key: 'delivery_prompt', work, engine, unit: 'ms', atMost: 50, value }]
  },
}

/** Events pushed to a receiver that takes its time: many in flight, compared with one. */
export const parallelDelivery: Row = {
  name: 'parallel',
  run: async ({ engine, plan, postgresUrl }) => [await besideOneAtATime(engine, plan, postgresUrl)],
}

async function besideOneAtATime(engine: EngineName, plan: Plan, postgresUrl: string): Promise<Finding> {
  const store = await makeStore(engine, postgresUrl)
  const startSlow = async (parallel: number) => {
    const receiver = await startLimit<number>('receiver.ts', { delayMs: slowMs } satisfies Receiving)
    await subscribe(store, `http://127.0.0.1:${receiver.ready}${valve}`, 1, { parallel })
    return receiver
  }
  const [many, one] = [await startSlow(mostParallel), await startSlow(1)]
  await fill(store, 1, Math.min(plan.events, 20_000))
  const server = await startMainline(store.flags)
  const comparison = await compare(
    sending(server, many, mostParallel, `parallel ${mostParallel}`),
    sending(server, one, 1, 'parallel 1'),
    plan,
  )
  await Promise.all([server.stop(), many.stop(), one.stop()])
  store.remove()
  const work = `event delivery to a receiver that takes ${slowMs} ms, ${mostParallel} at a time beside one`
  return { key: 'delivery_parallel', work, engine, atLeast: 25, ...comparison }
}

/** Latency from the request of a change to the arrival of its event on an idle server, in milliseconds. */
async function promptness(engine: EngineName, plan: Plan, postgresUrl: string): Promise<Spread> {
  const store = await makeStore(engine, postgresUrl)
  const receiver = await startReceiver()
  await subscribe(store, receiver.url, 1)
  const [business = 0] = await fill(store, 1, 0)
  const server = await startMainline(store.flags)
  const times: number[] = []
  for (let nth = 1; nth <= plan.repetitions * 5; nth++) {
    const { path, body } = creation(business, `prompt ${nth}`)
    const started = performance.now()
    await answerOf(server.port, path, { method: 'POST', body: JSON.stringify(body) })
    await receiver.received(nth)
    times.push(performance.now() - started)
    await pause(idleFor)
  }
  await Promise.all([server.stop(), receiver.close()])
  store.remove()
  // The first one is a warm-up: the sending code is loaded on first use.
  return spreadOf(times.slice(1))
}

/** Later events are sent as soon as the receiver opens. */
export async function subscribe(
  store: Store,
  callback_url: string,
  count: number,
  { parallel = 1 } = {},
): Promise<void> {
  const service = await openService(configOf(store), pino({ level: 'silent' }))
  for (let nth = 0; nth < count; nth++) {
    const payload = {
      subscription_name: `bench ${nth} ${callback_url}`,
      callback_url,
      subscription_form: 'setcreate',
      timeout: 300,
      parallel,
    }
    const headers = { host: '127.0.0.1' }
    const answer = await service.app.inject({ method: 'POST', url: '/api/v3/event/subscribe/0/0', payload, headers })
    if (!answer.json().result) throw new Error(answer.body)
  }
  await service.close()
}

export const sending = (server: Server, receiver: Limit<number>, inFlight: number, name = 'mainline'): Contender => ({
  name,
  process: server,
  async run(milliseconds) {
    const before = await receiver.ask<Arrived>({ open: true })
    await pause(milliseconds)
    const after = await receiver.ask<Arrived>({ open: false })
    if (after.count === before.count) throw new Error('nothing is left to send: let more events wait')
    const perSecond = (after.count - before.count) / (milliseconds / 1000)
    // The time of a push follows from how many are in flight: one of each subscription, or more of a parallel one.
    return { perSecond, p50: (inFlight / perSecond) * 1_000_000 }
  },
})
