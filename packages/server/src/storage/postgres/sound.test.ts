import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { makeStore, postgresUrl, startServer, type TestStore } from '../../testing/harness.ts'
import { createDatabase } from '../../testing/servers/postgres.ts'

let store: TestStore
beforeAll(async () => {
  // Connected directly, even if other tests use a pooler, which would keep connections from before a setting was changed.
  const databaseUrl = await createDatabase(postgresUrl())
  store = { ...(await makeStore('sqlite')), engine: 'postgres', databaseUrl }
  store.flags.push(`--database-url=${databaseUrl}`)
  await (await startServer('postgres', { store })).close()
})
afterAll(() => store.remove())

async function say(sql: string, url = store.databaseUrl): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** Changes a setting of the database for the duration of the test. */
async function alterDatabase(setting: string, value: string): Promise<void> {
  const name = new URL(store.databaseUrl).pathname.slice(1)
  await say(`ALTER DATABASE ${name} SET ${setting} = '${value}'`, postgresUrl())
  onTestFinished(() => say(`ALTER DATABASE ${name} RESET ${setting}`, postgresUrl()))
}

it('refuses to start if the sequence of tickets has a cache, and names the statement to run', async () => {
  await say('ALTER SEQUENCE log_ticket CACHE 20')
  onTestFinished(() => say('ALTER SEQUENCE log_ticket CACHE 1'))
  await expect(startServer('postgres', { store })).rejects.toThrow(
    /sequence log_ticket hands each session 20 numbers ahead.*ALTER SEQUENCE log_ticket CACHE 1;$/,
  )
})

it('refuses to start on a read-only database, with the reason', async () => {
  await alterDatabase('default_transaction_read_only', 'on')
  await expect(startServer('postgres', { store })).rejects.toThrow(
    /takes no changes: it is a standby, or default_transaction_read_only is on/,
  )
})

it.each(['repeatable read', 'serializable'])(
  'runs its changes at READ COMMITTED whatever the default of the database is: %s',
  async (level) => {
    await alterDatabase('default_transaction_isolation', level)
    const server = await startServer('postgres', { store })
    onTestFinished(server.close)
    const isolation = await server.service.storage.engine.transact('which', async (connection) => {
      const { rows } = await connection.query(`SELECT current_setting('transaction_isolation') AS level`, [])
      return rows
    })
    expect(isolation).toEqual([{ level: 'read committed' }])
    const business = await makeBusiness(server, `at ${level}`)
    await Promise.all(Array.from({ length: 8 }, () => makeSet(server, business)))
  },
)

it('a conflict that outlasts all retries is "try again", not an internal error', async () => {
  const server = await startServer('postgres', { store })
  onTestFinished(server.close)
  let runs = 0
  const conflict = server.service.storage.change({ user: 'amy', account: '0', requestId: '' }, async () => {
    runs++
    throw Object.assign(new Error('could not serialize access'), { code: '40001' })
  })
  await expect(conflict).rejects.toMatchObject({ code: 1199503 })
  expect(runs).toBeGreaterThan(3)
})
