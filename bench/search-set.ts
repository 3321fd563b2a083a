import { answerOf } from './answer.ts'
import { startLimit, startMainline } from './child.ts'
import { type Contender, compare } from './compare.ts'
import { load, post } from './load.ts'
import type { Row } from './row.ts'
import { fill, makeStore } from './store.ts'

const connections = 16
/** The fields of a list of sets. */
const fields = ['bk_set_id', 'bk_set_name', 'bk_set_env', 'bk_service_status', 'bk_capacity']

/** A page of sets, compared with a bare Fastify that sends the same bytes in response to the same request. */
export const searchSet: Row = {
  name: 'search_set',
  async run({ engine, plan, postgresUrl, profiles }) {
    const store = await makeStore(engine, postgresUrl)
    const [business] = await fill(store, 1, plan.sets)
    const path = `/api/v3/set/search/0/${business}`
    const body = { page: { start: 0, limit: 20 }, fields, condition: {} }

    const server = await startMainline(store.flags, profiles)
    const answer = await answerOf(server.port, path, { method: 'POST', body: JSON.stringify(body) })
    const bare = await startLimit<number>('bare-fastify.ts', answer)
    const request = post(path, body)
    const loading = (port: number): Contender['run'] => {
      return (milliseconds) => load({ port, connections, milliseconds, next: () => request, mark: answer.body })
    }
    const comparison = await compare(
      { name: 'mainline', process: server, run: loading(server.port) },
      { name: 'bare Fastify, same bytes', process: bare, run: loading(bare.ready) },
      plan,
    )
    await Promise.all([server.stop(), bare.stop()])
    store.remove()
    const work = `search_set, page of 20 of ${plan.sets.toLocaleString('en')}`
    return [{ key: 'search_set', work, engine, atLeast: 0.5, ...comparison }]
  },
}
