import { pino } from 'pino'
import { openService } from '../packages/server/src/service.ts'
import { startMainline } from './child.ts'
import { type Contender, compare } from './compare.ts'
import { load } from './load.ts'
import type { Row } from './row.ts'
import { configOf, fill, makeStore, type Store } from './store.ts'

const connections = 16
const [businesses, groups, usersPerGroup] = [500, 1_000, 200]

/** The cost of the privilege check: a request by the holder of a role, compared with the same request by an administrator. */
export const guard: Row = {
  name: 'guard',
  async run({ engine, plan, postgresUrl, profiles }) {
    const store = await makeStore(engine, postgresUrl)
    const ids = await fill(store, businesses, 1)
    const set = await makePeople(store, ids)
    const server = await startMainline(store.flags, profiles)
    // Read-only, but requires a role: the dry run of deleting a set.
    const request = (user: string) =>
      `DELETE /api/v3/set/${ids[0]}/${set}?dry_run=true HTTP/1.1\r\nhost: 127.0.0.1\r\nBK_User: ${user}\r\n\r\n`
    const as = (user: string, name: string): Contender => ({
      name,
      process: server,
      run: (milliseconds) =>
        load({ port: server.port, connections, milliseconds, next: () => request(user), mark: '"result":true' }),
    })
    const comparison = await compare(as('user7', 'by a role'), as('admin', 'by an administrator'), plan)
    await server.stop()
    store.remove()
    const work = `delete_set, dry run; ${groups.toLocaleString('en')} groups, ${businesses} businesses`
    return [{ key: 'guard', work, engine, atLeast: engine === 'sqlite' ? 0.95 : 0.7, ...comparison }]
  },
}

/** Groups of which the caller is one member among others, and a role of the caller; returns a set of the first business. */
async function makePeople(store: Store, [business]: readonly number[]): Promise<number> {
  const { app, close } = await openService(configOf(store), pino({ level: 'silent' }))
  const call = async (method: 'POST' | 'PUT', url: string, payload: object) => {
    const answer = (await app.inject({ method, url: `/api/v3${url}`, payload })).json()
    if (!answer.result) throw new Error(answer.bk_error_msg)
    return answer.data
  }
  try {
    for (let group = 0; group < groups; group++) {
      const users = Array.from({ length: usersPerGroup }, (_, index) => `user${(group * 37 + index) % 5_000}`)
      await call('POST', '/topo/privilege/group/0', { group_name: `group ${group}`, user_list: users.join(';') })
    }
    await call('PUT', `/biz/0/${business}`, { bk_biz_maintainer: 'amy,ben,user7' })
    const condition = { bk_set_name: 'set 0' }
    const found = await call('POST', `/set/search/0/${business}`, {
      page: { start: 0, limit: 1 },
      fields: [],
      condition,
    })
    return found.info[0].bk_set_id
  } finally {
    await close()
  }
}
