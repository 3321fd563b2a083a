import { afterEach, describe, expect, it } from 'vitest'
import { makeBusiness } from '../../testing/data/factories.ts'
import { configOf, eachEngine, makeStore, startServer, type TestStore } from '../../testing/harness.ts'
import type { Engine } from '../engine.ts'
import { readerOver } from '../handles.ts'
import { openEngine } from '../index.ts'
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

  it('keeps existing data', async () => {
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

  it('rolls a failing migration back completely', async () => {
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

  it('refuses every change once another process has taken a breaking step', async () => {
    store = await makeStore(name)
    const server = await startServer(name, { store })
    await server.service.storage.engine.script('INSERT INTO breaking_step (number) VALUES (9999)')
    const refused = await server.call('POST', '/biz/0', { bk_biz_name: 'too late' })
    expect(refused).toMatchObject({ status: 503, bk_error_code: 1199503 })
    expect(refused.bk_error_msg).toContain('version 9999')
    await server.close()
  })
})

describe('two processes that start concurrently', () => {
  it('apply each migration once', async () => {
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

  it('wait for each other, however long a migration takes', async () => {
    const steps = [...shipped, slowly('CREATE TABLE slow (one {big});')]
    const [first, second] = await twoWith([steps, steps])
    expect(first).toMatchObject({ value: [`${newest + 1}_later`] })
    expect(second).toMatchObject({ value: [] })
  })

  it('apply a migration that was rolled back by the other', async () => {
    const broken = [...shipped, slowly('INSERT INTO nowhere VALUES (1);')]
    const whole = [...shipped, later('CREATE TABLE whole (one {big});')]
    const [first, second] = await twoWith([broken, whole])
    expect(first).toMatchObject({ reason: { message: expect.stringContaining('failed and was undone') } })
    expect(second).toMatchObject({ value: [`${newest + 1}_later`] })
  })

  it('refuse a schema that another release has changed in the meantime', async () => {
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
