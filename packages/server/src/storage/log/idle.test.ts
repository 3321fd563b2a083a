import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { waitingFor, watch } from '../../testing/clients/watching.ts'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { startServer, type TestServer, type TestStore } from '../../testing/harness.ts'
import { createDatabase, type PostgresServer, startPostgres } from '../../testing/servers/postgres.ts'

/** A server of its own, in whose WAL nothing else writes: no autovacuum, no snapshots of running transactions for standbys. */
const quietly = { autovacuum: 'off', wal_level: 'minimal', max_wal_senders: '0', checkpoint_timeout: '1d' }

let postgres: PostgresServer
let server: TestServer
let observer: pg.Client
beforeAll(async () => {
  postgres = await startPostgres(quietly)
  const databaseUrl = await createDatabase(postgres.url)
  const flags = [`--database-url=${databaseUrl}`]
  const store: TestStore = { engine: 'postgres', flags, dataDir: '', databaseUrl, remove() {} }
  server = await startServer('postgres', { store })
  observer = new pg.Client(postgres.url)
  await observer.connect()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await observer.end()
  await server.close()
  await postgres.stop()
})

/** What the server has sent: a statement alone, or a part of a transaction. PostgreSQL counts transactions, too, but up to ten seconds late. */
let sent = 0
const original = pg.Client.prototype.query
vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
  if (this !== observer) sent++
  return Reflect.apply(original, this, args)
})

async function endOfWal(): Promise<string> {
  const { rows } = await observer.query('SELECT pg_current_wal_insert_lsn()::text AS wal')
  return rows[0].wal
}

async function untilIdle(): Promise<void> {
  for (;;) {
    const before = { wal: await endOfWal(), sent }
    await pause(4_000)
    if ((await endOfWal()) === before.wal && sent - before.sent <= 4) return
  }
}

it('an idle process commits less than one transaction a second and writes no WAL', { timeout: 180_000 }, async () => {
  await makeSet(server, await makeBusiness(server))
  await untilIdle()
  const before = { wal: await endOfWal(), sent }
  // Longer than any pause of its loops, which may all begin with the first second.
  await pause(40_000)
  expect(await endOfWal()).toBe(before.wal)
  expect(sent - before.sent).toBeLessThan(40)

  // The commit wakes numbering: it does not wait until the idle process looks again.
  const business = await makeBusiness(server)
  await untilIdle()
  const watching = watch(server, 'set')
  await waitingFor(server, 1)
  const set = await makeSet(server, business)
  const committed = performance.now()
  expect((await watching).data.bk_events).toMatchObject([{ bk_detail: { bk_set_id: set } }])
  expect(performance.now() - committed).toBeLessThan(3_000)
})
