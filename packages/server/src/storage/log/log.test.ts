import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'
import { writerOver } from '../handles.ts'
import { removeOldest } from './retention.ts'
import { sealNext } from './seals.ts'
import { describeFault, verifyLog, verifyStep } from './verify.ts'

const silently = () => {}

eachEngine((name) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(name)
    business = await makeBusiness(server)
    for (let segment = 0; segment < 3; segment++) {
      await Promise.all([1, 2, 3, 4].map(() => makeSet(server, business)))
      await readLog(server.service.storage.read)
      await sealNext(server.service.storage.engine, Date.now(), true)
    }
    for (let unsealed = 0; unsealed < 2; unsealed++) await makeSet(server, business)
    await readLog(server.service.storage.read)
  })
  afterAll(() => server.close())
  const verify = () => verifyLog(server.service.storage.heavy, silently)
  const faults = async () => (await verify()).faults.map(describeFault)
  const run = (sql: string) => server.service.storage.engine.script(sql)

  it('verification succeeds on an intact log', async () => {
    expect(await verify()).toEqual({ segments: 3, records: 13, unsealed: 2, removed: 0, restores: 0, faults: [] })
  })

  it('verification names the segment in which one byte was changed', async () => {
    const { content } = await server.service.storage.read
      .selectFrom('log')
      .select('content')
      .where('position', '=', 7)
      .executeTakeFirstOrThrow()
    const changed = content.replace('"formal"', '"forMal"').replace('set ', 'seT ')
    expect(changed).not.toBe(content)
    await run(`UPDATE log SET content = '${changed}' WHERE position = 7`)
    expect(await faults()).toEqual(['segment 2 (records 6 to 9) has been changed: its records do not give its seal'])
    await run(`UPDATE log SET content = '${content}' WHERE position = 7`)
    expect(await faults()).toEqual([])
  })

  it('verification detects a deleted record, sealed or not', async () => {
    // Now the server recognises the database by its newest record. Were it one of those below, it would rightly record a reset.
    const { history, read } = server.service.storage
    expect((await history.look(read)).position).toBe(15)
    await run('UPDATE log SET position = -7 WHERE position = 7')
    expect(await faults()).toEqual(['segment 2 (records 6 to 9) has been changed: its records do not give its seal'])
    await run('UPDATE log SET position = 7 WHERE position = -7')
    await run('UPDATE log SET position = -14 WHERE position = 14')
    expect(await faults()).toEqual(['records 14 to 15 are not all there'])
    await run('UPDATE log SET position = 14 WHERE position = -14')
  })

  it('verification detects a forged seal', async () => {
    const { hash } = await server.service.storage.read
      .selectFrom('seal')
      .select('hash')
      .where('segment', '=', 2)
      .executeTakeFirstOrThrow()
    await run(`UPDATE seal SET hash = 'forged' WHERE segment = 2`)
    expect(await faults()).toContain('segment 3 (records 10 to 13) does not carry the seal of the one before it')
    await run(`UPDATE seal SET hash = '${hash}' WHERE segment = 2`)
  })

  it('verification detects a deleted seal, in the middle or at the end', async () => {
    const { engine, read } = server.service.storage
    for (const [segment, expected] of [
      [2, ['segment 3 (records 10 to 13) does not follow the one before it', expect.stringContaining('carry')]],
      [3, ['records 10 to 13 should be sealed, and no seal is there']],
    ] as const) {
      const seal = await read.selectFrom('seal').selectAll().where('segment', '=', segment).executeTakeFirstOrThrow()
      await run(`DELETE FROM seal WHERE segment = ${segment}`)
      expect(await faults()).toEqual(expected)
      await engine.transact(`seal ${segment} put back`, async (connection) => {
        await writerOver(connection, engine).insertInto('seal').values(seal).execute()
      })
    }
    expect(await faults()).toEqual([])
  })

  it('verification in steps continues where it stopped, and finds the same', async () => {
    const { heavy } = server.service.storage
    const steps = []
    for (let after: number | undefined = 0; after !== undefined; ) {
      const step = await verifyStep(heavy, after, () => true)
      steps.push(step)
      after = step?.next
    }
    expect(steps.map((step) => [step?.checked, step?.segments, step?.next])).toEqual([
      [5, 1, 1],
      [9, 1, 2],
      [15, 1, undefined],
    ])
    expect(await verifyStep(heavy, 0, () => false)).toMatchObject({ segments: 3, checked: 15, next: undefined })
    expect(await verifyStep(heavy, 4, () => true)).toBeUndefined()
  })

  it('two processes that seal concurrently seal each segment once', async () => {
    const { engine } = server.service.storage
    const now = Date.now()
    const seals = await Promise.all([sealNext(engine, now, true), sealNext(engine, now, true)])
    expect(seals.filter(Boolean)).toHaveLength(1)
    expect(await verify()).toMatchObject({ segments: 4, unsealed: 0, faults: [] })
  })

  it('retention removes only whole sealed segments that are old enough, and the log stays verifiable', async () => {
    const { engine } = server.service.storage
    expect(await removeOldest(engine, 0)).toBe(false)
    expect(await removeOldest(engine, Date.now() + 1000)).toBe(true)
    expect(await verify()).toMatchObject({ segments: 4, records: 10, removed: 5, faults: [] })
    const remaining = await readLog(server.service.storage.read)
    expect(remaining[0]?.position).toBe(6)
  })

  it('records that are sealed or removed during verification are not faults', async () => {
    const { engine, heavy } = server.service.storage
    const inOneGo = () => verifyStep(heavy, 0, () => false)
    await makeSet(server, business)
    await readLog(server.service.storage.read)
    // Runs after the head has been read.
    const sealed = meanwhile(/from "seal"/, () => sealNext(engine, Date.now(), true))
    expect(await inOneGo()).toMatchObject({ segments: 4, unsealed: 1, faults: [] })
    await sealed
    const removed = meanwhile(/from "log" /, () => removeOldest(engine, Date.now() + 1000))
    expect(await inOneGo()).toMatchObject({ segments: 5, faults: [] })
    expect(await removed).toBe(true)
  })

  /** Runs the work just before the next heavy read that matches. */
  function meanwhile<T>(like: RegExp, work: () => Promise<T>): Promise<T> {
    const { heavyReads } = server.service.storage.engine
    const { query } = heavyReads
    return new Promise((resolve, reject) => {
      heavyReads.query = async function (this: typeof heavyReads, text, parameters) {
        if (like.test(text)) {
          heavyReads.query = query
          await work().then(resolve, reject)
        }
        return query.call(this, text, parameters)
      }
    })
  }
})
