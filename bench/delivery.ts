import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { openService } from '../packages/server/src/service.ts'
import { type Limit, type Server, startLimit, startMainline } from './child.ts'
import { type Contender, compare } from './compare.ts'
import type { Arrived } from './limits/receiver.ts'
import type { PostTask } from './limits/undici-loop.ts'
import type { Row } from './row.ts'
import { configOf, fill, makeStore, type Store } from './store.ts'

/** Events pushed to subscriptions from a log that is full of them, beside undici posting the same bodies in as many loops. */
export const delivery: Row = {
  name: 'delivery',
  async run({ engine, plan, postgresUrl, profiles }) {
    const findings = []
    for (const subscriptions of [1, 100]) {
      const store = await makeStore(engine, postgresUrl)
      const receiver = await startLimit<number>('receiver.ts', {})
      const url = `http://127.0.0.1:${receiver.ready}/`
      await subscribe(store, url, subscriptions)
      await fill(store, 1, plan.events)

      const server = await startMainline(store.flags, profiles)
      const mainline = sending(server, receiver, subscriptions)
      await mainline.run(plan.milliseconds)
      const { first: pushes } = await receiver.ask<Arrived>({})
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
    return findings
  },
}

const place = '/api/v3/event/subscribe/0/0'

/** Paused from the start: what happens from now on is sent when it is measured. */
async function subscribe(store: Store, callback_url: string, count: number): Promise<void> {
  const service = await openService(configOf(store), pino({ level: 'silent' }))
  const post = async (url: string, payload: object) => {
    const answer = await service.app.inject({ method: 'POST', url, payload, headers: { host: '127.0.0.1' } })
    if (!answer.json().result) throw new Error(answer.body)
    return answer.json().data
  }
  for (let nth = 0; nth < count; nth++) {
    const body = { subscription_name: `bench ${nth}`, callback_url, subscription_form: 'setcreate' }
    const { subscription_id } = await post(place, body)
    await post(`${place}/${subscription_id}/pause`, {})
  }
  await service.close()
}

function sending(server: Server, receiver: Limit<number>, count: number): Contender {
  const all = (verb: 'pause' | 'resume') =>
    Promise.all(
      Array.from({ length: count }, async (_, nth) => {
        const url = `http://127.0.0.1:${server.port}${place}/${nth + 1}/${verb}`
        const answer = await fetch(url, { method: 'POST' })
        if (!answer.ok) throw new Error(await answer.text())
      }),
    )
  const arrived = async () => (await receiver.ask<Arrived>({})).count
  return {
    name: 'mainline',
    process: server,
    async run(milliseconds) {
      await all('resume')
      const [before, started] = [await arrived(), performance.now()]
      await pause(milliseconds)
      const perSecond = ((await arrived()) - before) / ((performance.now() - started) / 1000)
      await all('pause')
      // One at a time for each subscription: how long a push took follows from how many there were.
      return { perSecond, p50: (count / perSecond) * 1_000_000 }
    },
  }
}
