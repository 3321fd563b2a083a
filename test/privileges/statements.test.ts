import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGuard } from '../../packages/server/src/areas/privileges/index.ts'
import type { Connection } from '../../packages/server/src/storage/connection.ts'
import { readerOver } from '../../packages/server/src/storage/handles.ts'
import { eachEngine, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { type Case, casesOf, kinds } from './cases.ts'
import { makeWorld, userOf, type World } from './world.ts'

/** Tables that grow with the estate. */
const growing = /SCAN (attribute|business|node|host|object|role_binding|user_group|group_member)\b/

eachEngine((engine) => {
  let server: TestServer
  let world: World
  const statements: { sql: string; parameters: readonly unknown[] }[] = []
  let guard: ReturnType<typeof createGuard>
  beforeAll(async () => {
    server = await startServer(engine)
    world = await makeWorld(server)
    const { storage } = server.service
    const counting = (connection: Connection): Connection => ({
      ...connection,
      query(sql, parameters) {
        statements.push({ sql, parameters })
        return connection.query(sql, parameters)
      },
    })
    const { reads, heavyReads } = storage.engine
    const counted = (connection: Connection) => readerOver(counting(connection), storage.engine)
    guard = createGuard({ read: counted(reads), heavy: counted(heavyReads) }, ['admin'])
  })
  afterAll(() => server.close())

  async function judged(user: string, allow: (typeof kinds)[number], { params = {}, body }: Case) {
    statements.length = 0
    await guard({ user, account: '0', requestId: '' }, allow, params, body)
    return [...statements]
  }

  it.each(kinds)(
    'judging %o takes at most two statements that find their rows by an index, and none for administrators',
    async (allow) => {
      const [first] = casesOf(allow, world) as [Case]
      // A request for a missing instance may look up the user's other roles; that is not the usual case.
      const usual = allow.need === 'hosts' ? { ...first, body: { bk_host_id: [world.host] } } : first
      expect(await judged('admin', allow, usual)).toEqual([])
      const holder = usual.allowed.find((person) => person === 'role' || person === 'group') ?? 'maintainer'
      const asked = await judged(userOf(holder, usual.privilege, usual.entry), allow, usual)
      expect(asked.length).toBeLessThanOrEqual(2)
      if (engine !== 'sqlite') return
      for (const { sql, parameters } of asked) {
        const { rows } = await server.service.storage.engine.reads.query(`EXPLAIN QUERY PLAN ${sql}`, parameters)
        expect(
          (rows as { detail: string }[]).map((row) => row.detail).filter((detail) => growing.test(detail)),
        ).toEqual([])
      }
    },
  )
})
