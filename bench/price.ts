import { copyTree, type Edits, plant } from '../packages/server/src/testing/planted.ts'
import { answerOf } from './answer.ts'
import { type Server, startLimit, startMainline } from './child.ts'
import { type Comparison, compare, spreadOf } from './compare.ts'
import { overHttp } from './create-set.ts'
import { sending, subscribe } from './delivery.ts'
import { withoutOrder, withoutPast, withoutRevisions } from './left-out.ts'
import { valve } from './limits/receiver.ts'
import type { Finding } from './report.ts'
import type { Circumstances, Row } from './row.ts'
import { fill, makeStore } from './store.ts'

const clients = 64
const subscriptions = 1
/** One subscription sends no more in the time. */
const mostEvents = 60_000
/** What revisions cost a change, and revisions and the order per instance the delivery: beside a copy of the program without them. */
export const price: Row = {
  name: 'price',
  run: async (circumstances) => [
    ...priced('price_of_revisions', circumstances, {
      work: `create_set, ${clients} connections, with and without revisions`,
      comparison: await compareRevisions(circumstances),
    }),
    ...priced('price_of_order', circumstances, {
      work: 'event delivery, 1 subscription, with and without order and revisions',
      comparison: await compareOrder(circumstances),
    }),
  ],
}

interface Priced {
  readonly work: string
  readonly comparison: Comparison
}

/** The loss in rate, and in processor time, which says more on a busy machine. */
function priced(key: string, { engine }: Circumstances, { work, comparison }: Priced): Finding[] {
  const spent = comparison.turns.map(({ measured, limit }) => (measured.processor ?? 0) / (limit.processor ?? 0))
  return [
    { key, work, engine, atLeast: 0.95, ...comparison },
    {
      key: `${key}_cpu`,
      work: '  processor time with in without',
      engine,
      unit: 'x',
      atMost: 1.05,
      value: spreadOf(spent),
    },
  ]
}

export function copyWith(edits: readonly Edits[]): string {
  const copy = copyTree()
  for (const each of edits) plant(copy, each)
  return copy
}

async function compareRevisions({ engine, plan, postgresUrl, profiles }: Circumstances): Promise<Comparison> {
  const [store, plainStore] = [await makeStore(engine, postgresUrl), await makeStore(engine, postgresUrl)]
  // Both without the past: a program without revisions cannot derive it, and would save that work, too.
  const server = await startMainline(store.flags, profiles, copyWith(withoutPast))
  const plain = await startMainline(plainStore.flags, undefined, copyWith([...withoutPast, ...withoutRevisions]))
  const contender = async (on: Server, name: string) => overHttp(on, await makeHomes(on), clients, name)
  const comparison = await compare(
    await contender(server, 'mainline'),
    await contender(plain, 'without revisions'),
    plan,
  )
  await Promise.all([server.stop(), plain.stop()])
  store.remove()
  plainStore.remove()
  return comparison
}

/** A business for each connection. */
export async function makeHomes({ port }: Server) {
  const homes: { business: number }[] = []
  for (let nth = 0; nth < clients; nth++) {
    const answer = await answerOf(port, '/api/v3/biz/0', {
      method: 'POST',
      body: JSON.stringify({ bk_biz_name: `business ${nth}` }),
    })
    homes.push({ business: (JSON.parse(answer.body) as { data: { bk_biz_id: number } }).data.bk_biz_id })
  }
  return homes
}

async function compareOrder({ engine, plan, postgresUrl, profiles }: Circumstances): Promise<Comparison> {
  const prepared = async (name: string, tree?: string) => {
    const store = await makeStore(engine, postgresUrl)
    const receiver = await startLimit<number>('receiver.ts', {})
    await subscribe(store, `http://127.0.0.1:${receiver.ready}${valve}`, subscriptions)
    await fill(store, 1, Math.min(plan.events, mostEvents))
    const server = await startMainline(store.flags, tree === undefined ? profiles : undefined, tree)
    const stop = async () => {
      await Promise.all([server.stop(), receiver.stop()])
      store.remove()
    }
    return { contender: sending(server, receiver, subscriptions, name), stop }
  }
  const [ordered, plain] = [await prepared('mainline'), await prepared('without order', copyWith(withoutOrder))]
  const comparison = await compare(ordered.contender, plain.contender, plan)
  await Promise.all([ordered.stop(), plain.stop()])
  return comparison
}
