import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { configOf, eachEngine, makeStore, startServer, type TestStore } from '../../testing/harness.ts'
import type { Engine } from '../engine.ts'
import { openEngine } from '../index.ts'
import { type Migration, migrate, readMigrations } from './migrate.ts'

const shipped = readMigrations()
const newest = shipped.at(-1)?.number ?? 0
const step = (text: string, number = newest + 1): Migration => ({
  number,
  name: `${number}_next`,
  text,
  checksum: text,
})

eachEngine((name) => {
  it('a program continues, and can be restarted, after a compatible migration that it does not know', async () => {
    const store = await makeStore(name)
    let server = await startServer(name, { store })
    const business = await makeBusiness(server)
    const next = step('-- compatible: yes\nALTER TABLE business ADD COLUMN note {text};')
    await migrate(server.service.storage.engine, [...shipped, next])
    await makeSet(server, business)
    await server.close()
    server = await startServer(name, { store })
    await makeSet(server, business)

    const breaking = step('-- compatible: no, it is a test\nALTER TABLE business ADD COLUMN other {text};', newest + 2)
    await migrate(server.service.storage.engine, [...shipped, next, breaking])
    expect(await server.call('POST', '/biz/search/0', {})).toMatchObject({ result: true })
    expect(await server.call('POST', '/biz/0', { bk_biz_name: 'late' })).toMatchObject({
      bk_error_code: 1199503,
      bk_error_msg: expect.stringContaining(`schema has been upgraded to version ${newest + 2}`),
    })
    await server.close()
    await expect(startServer(name, { store })).rejects.toThrow(`The database has schema ${newest + 2}`)
    store.remove()
  })
})

it('prepared statements keep working after a migration has added columns, inside and outside of transactions', async () => {
  const server = await startServer('postgres', { flags: ['--connections=3'] })
  const { storage } = server.service
  const actor = { user: 'amy', account: '0', requestId: '' }
  const readAll = () =>
    Promise.all([
      ...[1, 2].map(() => storage.read.selectFrom('log').selectAll().execute()),
      storage.change(actor, async (tx) => void (await tx.selectFrom('business').selectAll().execute())),
    ])
  await readAll()
  const text =
    '-- compatible: yes\nALTER TABLE log ADD COLUMN note {text};\nALTER TABLE business ADD COLUMN note {text};'
  await migrate(storage.engine, [...shipped, step(text)])
  for (let nth = 0; nth < 5; nth++) await readAll()
  await server.close()
})

describe('on postgres, with concurrent writers', () => {
  let store: TestStore
  let engine: Engine
  let clients: pg.Client[]
  beforeEach(async () => {
    store = await makeStore('postgres')
    engine = await openEngine(configOf(store))
    await migrate(engine, shipped)
    clients = []
  })
  afterEach(async () => {
    for (const client of clients) await client.end()
    await engine.close()
    store.remove()
  })
  const connect = async () => {
    const client = new pg.Client(store.databaseUrl)
    clients.push(client)
    await client.connect()
    return client
  }
  const append = (client: pg.Client, name: string) =>
    client.query(
      `INSERT INTO log (txn_id, ordinal, account, biz_id, object_id, inst_id, operation, description, operator, op_time, ext_key,
         request_id, content, events) VALUES ($1, 0, '0', 1, 'set', 1, 1, '', 'amy', 1, '', '', '{}', '[]')`,
      [name],
    )
  const isValid = async () =>
    (await engine.reads.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('log_by_test')`, [])).rows

  it('a migration that waits for a table locked by a backup does not block writers', async () => {
    const [backup, writer] = [await connect(), await connect()]
    await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT count(*) FROM log')
    const waits: string[] = []
    let isDone = false
    const next = step('-- compatible: yes\nALTER TABLE log ADD COLUMN note {text};')
    const migrating = migrate(engine, [...shipped, next], (name) => waits.push(name)).then((names) => {
      isDone = true
      return names
    })
    await expect.poll(() => waits).toEqual([next.name])
    for (let nth = 0; nth < 50; nth++) await append(writer, `beside ${nth}`)
    expect(isDone).toBe(false)
    await backup.query('COMMIT')
    expect(await migrating).toEqual([next.name])
    await writer.query('SELECT note FROM log LIMIT 1')
  })

  const indexed = step('-- compatible: yes\nconcurrently: CREATE INDEX log_by_test ON log (account, description);')

  it('an index is built concurrently with writers, once, by the first process', async () => {
    const [slow, writer] = [await connect(), await connect()]
    const other = await openEngine(configOf(store))
    await slow.query('BEGIN')
    await append(slow, 'slow')
    const both = Promise.all([engine, other].map((each) => migrate(each, [...shipped, indexed])))
    await expect.poll(isValid).toEqual([{ indisvalid: false }])
    for (let nth = 0; nth < 50; nth++) await append(writer, `beside ${nth}`)
    expect(await isValid()).toEqual([{ indisvalid: false }])
    await slow.query('COMMIT')
    expect((await both).flat()).toEqual([indexed.name])
    expect(await isValid()).toEqual([{ indisvalid: true }])
    await other.close()
  })

  it('an invalid index left by a killed process is rebuilt', async () => {
    const writer = await connect()
    await writer.query('CREATE INDEX log_by_test ON log (account)')
    await writer.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'log_by_test'::regclass`)
    await migrate(engine, [...shipped, indexed])
    expect(await isValid()).toEqual([{ indisvalid: true }])
    const { rows } = await writer.query(`SELECT pg_get_indexdef('log_by_test'::regclass) AS definition`)
    expect(rows[0].definition).toContain('(account, description)')
  })
})
