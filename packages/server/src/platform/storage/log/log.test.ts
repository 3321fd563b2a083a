import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/log.ts'
import { readerOver } from '../change.ts'
import type { Connection } from '../connection.ts'
import { removeOldest } from './retention.ts'
import { sealNext } from './seals.ts'
import { verifyLog } from './verify.ts'

const silently = () => {}

eachEngine((name) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(name)
    const business = await makeBusiness(server)
    for (let segment = 0; segment < 3; segment++) {
      await Promise.all([1, 2, 3, 4].map(() => makeSet(server, business)))
      await readLog(server.service.storage.read)
      await sealNext(server.service.storage.engine, Date.now(), true)
    }
    await makeSet(server, business)
    await readLog(server.service.storage.read)
  })
  afterAll(() => server.close())
  const verify = () => verifyLog(server.service.storage.heavy, silently)
  const run = (sql: string) => server.service.storage.engine.script(sql)

  it('finds an intact log intact', async () => {
    expect(await verify()).toEqual({ segments: 3, records: 13, unsealed: 1, removed: 0, faults: [] })
  })

  it('finds it intact while a server seals what is being looked at', async () => {
    const { engine } = server.service.storage
    let sealing: Promise<unknown> | undefined
    const query: Connection['query'] = async (sql, parameters) => {
      const rows = await engine.heavyReads.query(sql, parameters)
      // Right after the first look, which is at the head.
      sealing ??= sealNext(engine, Date.now(), true)
      await sealing
      return rows
    }
    const verdict = await verifyLog(readerOver({ ...engine.heavyReads, query }, engine), silently)
    expect(verdict).toMatchObject({ segments: 4, records: 14, unsealed: 0, faults: [] })
    await run('DELETE FROM seal WHERE segment = 4')
    await run('UPDATE log_head SET sealed = 13')
  })

  it('names the segment of which one byte was changed by hand', async () => {
    const { content } = await server.service.storage.read
      .selectFrom('log')
      .select('content')
      .where('position', '=', 7)
      .executeTakeFirstOrThrow()
    const changed = content.replace('"formal"', '"forMal"').replace('set ', 'seT ')
    expect(changed).not.toBe(content)
    await run(`UPDATE log SET content = '${changed}' WHERE position = 7`)
    expect((await verify()).faults).toEqual([
      'segment 2 (records 6 to 9) has been changed: its records do not give its seal',
    ])
    await run(`UPDATE log SET content = '${content}' WHERE position = 7`)
    expect((await verify()).faults).toEqual([])
  })

  it('sees a record that was taken out, sealed or not', async () => {
    await run('UPDATE log SET position = -7 WHERE position = 7')
    expect((await verify()).faults).toEqual([
      'segment 2 (records 6 to 9) has been changed: its records do not give its seal',
    ])
    await run('UPDATE log SET position = 7 WHERE position = -7')
    await run('UPDATE log SET position = -14 WHERE position = 14')
    expect((await verify()).faults).toEqual(['records 14 to 14 have a gap: 0 are there'])
    await run('UPDATE log SET position = 14 WHERE position = -14')
  })

  it('sees a seal that was forged to fit', async () => {
    const { hash } = await server.service.storage.read
      .selectFrom('seal')
      .select('hash')
      .where('segment', '=', 2)
      .executeTakeFirstOrThrow()
    await run(`UPDATE seal SET hash = 'forged' WHERE segment = 2`)
    expect((await verify()).faults).toContain(
      'segment 3 (records 10 to 13) does not carry the seal of the one before it',
    )
    await run(`UPDATE seal SET hash = '${hash}' WHERE segment = 2`)
  })

  it('seals nothing twice when two processes try at once', async () => {
    const { engine } = server.service.storage
    const now = Date.now()
    const seals = await Promise.all([sealNext(engine, now, true), sealNext(engine, now, true)])
    expect(seals.filter(Boolean)).toHaveLength(1)
    expect(await verify()).toMatchObject({ segments: 4, unsealed: 0, faults: [] })
  })

  it('removes only whole sealed segments past their time, and stays verifiable', async () => {
    const { engine } = server.service.storage
    expect(await removeOldest(engine, 0)).toBe(false)
    expect(await removeOldest(engine, Date.now() + 1000)).toBe(true)
    expect(await verify()).toMatchObject({ segments: 4, records: 9, removed: 5, faults: [] })
    const remaining = await readLog(server.service.storage.read)
    expect(remaining[0]?.position).toBe(6)
  })
})
