import { afterEach, describe, expect, it } from 'vitest'
import { makeBusiness } from '../../testing/factories.ts'
import { configOf, eachEngine, makeStore, startServer, type TestStore } from '../../testing/harness.ts'
import type { Engine } from './engine.ts'
import { readerOver, writerOver } from './handles.ts'
import { openEngine } from './index.ts'
import { type Migration, migrate, readMigrations } from './migrate.ts'

const shipped = readMigrations()
const newest = shipped.at(-1)?.number ?? 0
const later = (text: string, number = newest + 1): Migration => ({
  number,
  name: `${number}_later`,
  text,
  checksum: `of ${text}`,
})

eachEngine((name) => {
  let store: TestStore
  const opened: Engine[] = []
  const open = async () => {
    store ??= await makeStore(name)
    const engine = await openEngine(configOf(store))
    opened.push(engine)
    return engine
  }
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close()
    store?.remove()
    store = undefined as unknown as TestStore
  })

  it('applies each migration once', async () => {
    const engine = await open()
    expect(await migrate(engine, shipped)).toEqual(shipped.map((each) => each.name))
    expect(await migrate(engine, shipped)).toEqual([])
  })

  it('keeps the data that is there', async () => {
    store = await makeStore(name)
    const server = await startServer(name, { store })
    const business = await makeBusiness(server, 'kept')
    await server.close()

    const engine = await open()
    const upgraded = [...shipped, later("ALTER TABLE business ADD COLUMN note {text} NOT NULL DEFAULT 'none';")]
    expect(await migrate(engine, upgraded)).toEqual([`${newest + 1}_later`])
    const rows = await readerOver(engine.reads, engine).selectFrom('business').selectAll().execute()
    expect(rows.find((row) => row.biz_id === business)).toMatchObject({ living_name: 'kept', note: 'none' })
  })

  it('makes searchable in accounts that are there what new ones start with, each under a key of its own', async () => {
    const engine = await open()
    await migrate(engine, shipped.slice(0, 1))
    for (const account of ['0', 'other']) {
      const of = `'${account}', 'host'`
      await engine.script(`
        INSERT INTO account VALUES ('${account}', 1, 1);
        INSERT INTO classification (account, classification_id, name, icon, preset) VALUES ('${account}', 'c', 'c', '', 1);
        INSERT INTO object (account, object_id, classification_id, name, icon, preset, paused, creator, create_time, last_time) VALUES (${of}, 'c', 'h', '', 1, 0, '', 0, 0);
        INSERT INTO attribute_group (account, object_id, group_id, name, position, preset) VALUES (${of}, 'g', 'g', 0, 1);
        INSERT INTO attribute (account, object_id, group_id, attribute_id, name, position, type, options, unit, placeholder, required, editable, preset, creator, create_time, last_time)
          SELECT ${of}, 'g', id, id, 0, 'singlechar', '', '', '', 0, 1, 1, '', 0, 0 FROM (SELECT 'bk_sn' AS id UNION SELECT 'bk_comment') AS names;`)
    }
    await migrate(engine, shipped)
    const rows = await readerOver(engine.reads, engine).selectFrom('attribute').selectAll().execute()
    const on = rows.filter((row) => row.searchable !== 0)
    expect(on.map((row) => [row.attribute_id, row.filled])).toEqual([
      ['bk_sn', 1],
      ['bk_sn', 1],
    ])
    const [next] = await engine.transact('', (connection) =>
      engine.dialect.drawIds(writerOver(connection, engine), 'value', 1),
    )
    expect(new Set([...on.map((row) => row.searchable), next]).size).toBe(3)
  })

  it('undoes a migration that fails, all of it', async () => {
    const engine = await open()
    await migrate(engine, shipped)
    const broken = later('CREATE TABLE half (one {big});\nINSERT INTO nowhere VALUES (1);')
    await expect(migrate(engine, [...shipped, broken])).rejects.toThrow(/failed and was undone/)
    await expect(Promise.resolve().then(() => engine.reads.query('SELECT * FROM half', []))).rejects.toThrow()
    expect(await migrate(engine, shipped)).toEqual([])
  })

  it('refuses a database that a newer program has upgraded', async () => {
    const engine = await open()
    await migrate(engine, [...shipped, later('CREATE TABLE newer (one {big});')])
    await expect(migrate(engine, shipped)).rejects.toThrow(
      `The database has schema ${newest + 1}, and this program knows only ${newest}`,
    )
  })

  it('refuses a migration that is not the one that was applied', async () => {
    const engine = await open()
    await migrate(engine, shipped)
    const edited = shipped.map((each) => ({ ...each, checksum: 'another' }))
    await expect(migrate(engine, edited)).rejects.toThrow(/checksum differs/)
  })

  it('refuses every change once another process has upgraded the schema underneath it', async () => {
    store = await makeStore(name)
    const server = await startServer(name, { store })
    const upgrade = "INSERT INTO migration (number, name, checksum, applied_at) VALUES (9999, 'newer', '', 0)"
    await server.service.storage.engine.script(upgrade)
    const refused = await server.call('POST', '/biz/0', { bk_biz_name: 'too late' })
    expect(refused).toMatchObject({ status: 503, bk_error_code: 1199503 })
    expect(refused.bk_error_msg).toContain('schema 9999')
    await server.close()
  })
})

describe('two processes that start at once', () => {
  it('do each step once between them', async () => {
    const store = await makeStore('postgres')
    const engines = await Promise.all([1, 2, 3].map(() => openEngine(configOf(store))))
    const applied = await Promise.all(engines.map((engine) => migrate(engine, shipped)))
    expect(applied.flat().sort()).toEqual(shipped.map((each) => each.name))
    await Promise.all(engines.map((engine) => engine.close()))
  })

  const twoWith = async (steps: readonly [Migration[], Migration[]]) => {
    const store = await makeStore('postgres')
    const flags = ['--queue-time=100ms']
    const engines = await Promise.all(steps.map(() => openEngine(configOf(store, flags))))
    const [first, second] = engines as [Engine, Engine]
    await migrate(first, shipped)
    const going = migrate(first, steps[0])
    const running = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep%'`
    await expect.poll(async () => (await first.reads.query(running, [])).rows.length).toBeGreaterThan(0)
    const answers = await Promise.allSettled([going, migrate(second, steps[1])])
    await Promise.all(engines.map((engine) => engine.close()))
    store.remove()
    return answers
  }
  const slowly = (rest: string) => later(`SELECT pg_sleep(1.5); ${rest}`)

  it('wait for each other however long a step takes', async () => {
    const steps = [...shipped, slowly('CREATE TABLE slow (one {big});')]
    const [first, second] = await twoWith([steps, steps])
    expect(first).toMatchObject({ value: [`${newest + 1}_later`] })
    expect(second).toMatchObject({ value: [] })
  })

  it('take a step that was undone by the other', async () => {
    const broken = [...shipped, slowly('INSERT INTO nowhere VALUES (1);')]
    const whole = [...shipped, later('CREATE TABLE whole (one {big});')]
    const [first, second] = await twoWith([broken, whole])
    expect(first).toMatchObject({ reason: { message: expect.stringContaining('failed and was undone') } })
    expect(second).toMatchObject({ value: [`${newest + 1}_later`] })
  })

  it('refuse what another release has made of the schema meanwhile', async () => {
    const step = slowly('CREATE TABLE slow (one {big});')
    const further = later('CREATE TABLE further (one {big});', newest + 2)
    const [first, second] = await twoWith([
      [...shipped, step, further],
      [...shipped, { ...step, checksum: 'another' }],
    ])
    expect(first).toMatchObject({ status: 'fulfilled' })
    expect(second).toMatchObject({ reason: { message: expect.stringMatching(/checksum differs|has schema/) } })
  })
})
