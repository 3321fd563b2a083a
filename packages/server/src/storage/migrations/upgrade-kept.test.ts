import { expect, it } from 'vitest'
import { openSessions } from '../../identity/sessions/sessions.ts'
import { type Everything, everythingIn } from '../../testing/copies.ts'
import { makeHost } from '../../testing/data/hosts.ts'
import { configOf, type EngineName, eachEngine, makeStore, startServer, type TestStore } from '../../testing/harness.ts'
import { keptSchemas, readKept } from '../../testing/kept-schemas.ts'
import { runCommand } from '../../testing/process.ts'
import { load } from '../copy/fill.ts'
import { makeAt } from '../copy/place.ts'
import { openEngine } from '../index.ts'
import { verifyLog } from '../log/verify.ts'
import { migrate, readMigrations } from './migrate.ts'

const migrations = readMigrations()
const newest = migrations.at(-1)?.number ?? 0

/** A store as a program with that schema left it. */
async function storeOf(schema: number, engine: EngineName): Promise<TestStore> {
  const store = await makeStore(engine)
  const options = { how: 'moved', migrations, onRows: () => {} } as const
  await makeAt(configOf(store), (connection, parts, loading) =>
    load(connection, parts, loading, readKept(schema), options),
  )
  return store
}

/** Every previous row exists with at least its previous columns; migrations may add rows and columns. */
function expectKept(before: Everything, after: Everything): void {
  for (const [table, rows] of Object.entries(before)) {
    const key = (row: Record<string, unknown>) => JSON.stringify(row.id ?? row.ticket ?? row.name ?? row.node ?? row)
    const found = new Map(after[table]?.map((row) => [key(row), row]))
    if (['counters', 'log_head', 'attribute'].includes(table)) continue
    for (const row of rows) {
      // Migrations that change the model raise its version.
      const { model_version: _, ...kept } = row
      expect(found.get(key(row)), `${table} ${key(row)}`).toMatchObject(kept)
    }
  }
  expect(after.attribute).toHaveLength(before.attribute?.length ?? 0)
}

eachEngine((engine) => {
  it.each(keptSchemas())('data of schema %i is upgraded completely at the start, and can be used', async (schema) => {
    const store = await storeOf(schema, engine)
    const before = await everythingIn(store)
    const server = await startServer(engine, { store })
    const { read, heavy } = server.service.storage
    const steps = await read.selectFrom('migration').select('number').orderBy('number').execute()
    expect(steps.map((step) => step.number)).toEqual(migrations.map((each) => each.number))
    expectKept(before, await everythingIn(store))

    const { data } = await server.call<{ count: number; info: { bk_biz_id: number }[] }>('POST', '/biz/search/0', {})
    expect(data.count).toBe(5)
    const found = await server.call<{ count: number }>('POST', '/hosts/search', { page: { limit: 1 }, condition: [] })
    expect(found.data.count).toBe(before.host?.length)
    await makeHost(server, {}, { bk_host_innerip: '192.0.2.1' })
    expect((await verifyLog(heavy, () => {})).faults).toEqual([])
    await server.close()
    store.remove()
  })

  it('after a migration that fails halfway, the old program still works on its data', async () => {
    const store = await storeOf(Math.max(...keptSchemas()), engine)
    await (await startServer(engine, { store })).close()
    const before = await everythingIn(store)
    const engineOpened = await openEngine(configOf(store))
    const text = [
      'ALTER TABLE business ADD COLUMN note {text};',
      "UPDATE node SET name = 'changed';",
      'DELETE FROM placement;',
      'DROP TABLE setting;',
      'CREATE TABLE half (one {big} NOT NULL);',
      'INSERT INTO half VALUES (NULL);',
    ].join('\n')
    const broken = { number: newest + 1, name: 'broken', checksum: '', text }
    await expect(migrate(engineOpened, [...migrations, broken])).rejects.toThrow(
      /Migration broken failed and was undone: .*null/i,
    )
    await engineOpened.close()
    expect(await everythingIn(store)).toEqual(before)
    const server = await startServer(engine, { store })
    await makeHost(server, {}, { bk_host_innerip: '192.0.2.1' })
    await server.close()
    store.remove()
  })

  it('configured not to migrate, the server refuses to start and names the command; after that command it starts', async () => {
    const store = await makeStore(engine)
    const { flags } = store
    await expect(startServer(engine, { store, flags: ['--migrate=false'] })).rejects.toThrow(
      `The database has schema 0 and this program needs ${newest}. Run 'mainline migrate'`,
    )
    const opened = await openEngine(configOf(store))
    expect(await migrate(opened, migrations)).toEqual(migrations.map((each) => each.name))
    await opened.close()
    const server = await startServer(engine, { store, flags: ['--migrate=false'] })

    // A newer release applies a breaking migration while this one runs: it continues to read, and refuses to write by outdated rules.
    const step = `INSERT INTO migration (number, name, checksum, applied_at) VALUES (9999, 'newer', '', 0);
      INSERT INTO breaking_step (number) VALUES (9999)`
    await server.service.storage.engine.script(step)
    expect(await server.call('POST', '/biz/search/0', {})).toMatchObject({ result: true })
    expect(await server.call('POST', '/biz/0', { bk_biz_name: 'late' })).toMatchObject({
      bk_error_code: 1199503,
      bk_error_msg: expect.stringContaining('schema has been upgraded to version 9999'),
    })
    const { storage } = server.service
    const rowsOf = (table: 'account' | 'session') => storage.read.selectFrom(table).selectAll().execute()
    const accounts = await rowsOf('account')
    expect(await server.call('GET', '/topo/model/late')).toMatchObject({
      bk_error_code: 1199503,
      bk_error_msg: expect.stringContaining('schema has been upgraded to version 9999'),
    })
    expect(await rowsOf('account')).toEqual(accounts)
    // Readers can still sign in and out.
    const sessions = openSessions(storage)
    const before = await rowsOf('session')
    const key = await sessions.begin({ user: 'amy', account: '0' }, { forMs: 60_000, refreshToken: '' })
    expect(await sessions.find(key)).toEqual({ user: 'amy', account: '0' })
    await sessions.end(key)
    expect(await rowsOf('session')).toEqual(before)
    await server.close()
    expect(await runCommand(['serve', ...flags])).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^The database has schema 9999, and this program knows only \d+\./),
    })
    store.remove()
  })
})
