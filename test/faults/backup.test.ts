import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, setBody } from '../../packages/server/src/testing/data/factories.ts'
import {
  eachEngine,
  makeStore,
  startServer,
  type TestServer,
  type TestStore,
} from '../../packages/server/src/testing/harness.ts'
import { brokenLinks, isGapless, readLog } from '../../packages/server/src/testing/inspect/log.ts'
import { entry, runCommand } from '../../packages/server/src/testing/process.ts'

const home = mkdtempSync(join(tmpdir(), 'mainline-backup-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The estate and its log. */
async function estateOf(server: TestServer) {
  const { read } = server.service.storage
  const sets = await read
    .selectFrom('node')
    .select(['name', 'inst_id'])
    .where('object_id', '=', 'set')
    .where('built_in', '=', 0)
    .execute()
  return { sets, log: await readLog(read) }
}

const place = ({ flags }: TestStore) => flags.filter((flag) => !flag.startsWith('--port'))

eachEngine((engine) => {
  let store: TestStore
  let server: TestServer
  let business: number
  const file = join(home, `online-${engine}`)
  beforeAll(async () => {
    store = await makeStore(engine)
    server = await startServer(engine, { store })
    business = await makeBusiness(server)
    // Enough data that the process can be killed in the middle.
    const json = engine === 'postgres' ? '::jsonb' : ''
    await server.service.storage.engine.script(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO node (account, object_id, inst_id, biz_id, parent_id, name, name_key, built_in, attributes, creator, create_time, last_time)
      SELECT '0', 'bk_switch', 100000 + i, 0, 0, 'switch ' || i, 'switch ' || i, 0, ('{"note":"' || i * 104729 % 1000003 || '"}')${json}, 'amy', 0, 0 FROM n;`)
  })
  afterAll(async () => {
    await server.close()
    store.remove()
  })

  it('during writes, contains exactly the changes acknowledged at one moment, and can be restored and verified', async () => {
    const acknowledged: string[] = []
    let isWriting = true
    const writer = async (nth: number) => {
      for (let count = 0; isWriting; count++) {
        const name = `${nth}.${count}`
        const done = await server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: name }))
        if (done.result) acknowledged.push(name)
        await pause(2)
      }
    }
    const writers = [1, 2, 3].map(writer)
    await expect.poll(() => acknowledged.length).toBeGreaterThan(40)
    const before = new Set(acknowledged)
    const taken = await runCommand(['backup', file, ...place(store)])
    expect(taken).toMatchObject({ code: 0, output: expect.stringContaining('written and verified') })
    const during = acknowledged.length
    await expect.poll(() => acknowledged.length).toBeGreaterThan(during)
    isWriting = false
    await Promise.all(writers)
    const now = await estateOf(server)

    const copy = await makeStore(engine)
    expect(await runCommand(['restore', file, ...place(copy)])).toMatchObject({ code: 0 })
    expect(await runCommand(['verify', ...place(copy)])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^The log is intact: .* restored once\.\n$/),
    })
    const restored = await startServer(engine, { store: copy })
    const found = await estateOf(restored)
    // Except for the record of the restore.
    const then = { ...found, log: found.log.filter((record) => record.object_id !== 'history') }
    expect(found.log).toHaveLength(then.log.length + 1)
    const names = new Set(then.sets.map((set) => set.name))
    expect([...before].filter((name) => !names.has(name))).toEqual([])
    expect(then.sets.length).toBeLessThan(now.sets.length)
    // A prefix of the current log, and exactly the sets of its records.
    expect(isGapless(then.log)).toBe(true)
    expect(brokenLinks(then.log)).toEqual([])
    const later = new Map(now.log.map((record) => [record.txn_id, record]))
    for (const record of then.log) expect(later.get(record.txn_id)?.content).toEqual(record.content)
    const ids = (list: { inst_id: number }[]) => list.map((each) => each.inst_id).toSorted((a, b) => a - b)
    expect(ids(then.log.filter((record) => record.object_id === 'set'))).toEqual(ids(then.sets))
    if (engine === 'sqlite') expect(then.log).toEqual(now.log.slice(0, then.log.length))
    await restored.close()
    copy.remove()
  })

  it('killed in the middle of a backup, leaves no file that looks like one', async () => {
    const path = await inTime(async (nth) => {
      const each = join(home, `killed-${engine}-${nth}`)
      const isKilled = await killed(['backup', each, ...place(store)], () => existsSync(`${each}.partial`))
      return isKilled && !existsSync(each) ? each : undefined
    })
    const { code, output } = await runCommand(['verify', `${path}.partial`])
    expect({ code, output }).toMatchObject({ code: 1, output: expect.stringMatching(/is cut off|is empty/) })
    expect(await runCommand(['backup', path, ...place(store)])).toMatchObject({ code: 0 })
    expect(readdirSync(home).filter((name) => name.endsWith('.partial'))).toEqual([])
  })

  it('killed in the middle of a restore, leaves no estate, and can be run again', async () => {
    const copy = await inTime(async () => {
      const each = await makeStore(engine)
      const { isUnderWay, stop } = await watching(each)
      const isKilled = await killed(['restore', file, ...place(each)], isUnderWay)
      await stop()
      // It may be complete by now; otherwise it must not exist.
      const { code, output } = await runCommand(['backup', join(each.dataDir, 'copy'), ...place(each)])
      if (!isKilled || code === 0) return undefined
      expect(output).toContain('There is no estate')
      return each
    })
    expect(await runCommand(['restore', file, ...place(copy)])).toMatchObject({ code: 0 })
    copy.remove()
  })

  // The file is written in the same way from either engine.
  if (engine === 'postgres') return
  it('reports a full disk, and leaves nothing behind', () => {
    const path = join(home, `no-room-${engine}`)
    // A limit of the file size simulates a full disk: the system refuses the write in the same way.
    const limited = ['-c', 'ulimit -f 40; exec "$0" "$@"', process.execPath, entry, 'backup', path, ...place(store)]
    const { status, stderr } = spawnSync('bash', limited, { encoding: 'utf8' })
    expect(stderr).toMatch(/no-room-.*cannot be used: no larger file is allowed here/)
    expect(status).toBe(1)
    expect(readdirSync(home).filter((name) => name.startsWith('no-room'))).toEqual([])
  })
})

/** Runs a command and kills it in the middle; false if it finished before that. */
async function killed(args: string[], isUnderWay: () => boolean | Promise<boolean>): Promise<boolean> {
  const child = spawn(process.execPath, [entry, ...args], { stdio: 'ignore' })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  while (child.exitCode === null && !(await isUnderWay())) await pause(1)
  child.kill('SIGKILL')
  await exited
  return child.signalCode === 'SIGKILL'
}

/** On a busy machine the moment may be missed. */
async function inTime<T>(attempt: (nth: number) => Promise<T | undefined>): Promise<T> {
  for (let nth = 1; nth <= 10; nth++) {
    const result = await attempt(nth)
    if (result !== undefined) return result
  }
  throw new Error('it was never seen under way')
}

/** Detects when rows are being inserted into a new store. */
async function watching({ engine, dataDir, databaseUrl }: TestStore) {
  if (engine === 'sqlite') {
    return { isUnderWay: () => existsSync(join(dataDir, 'mainline.db.making')), stop: async () => {} }
  }
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const working = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'INSERT INTO "%'`
  return {
    isUnderWay: async () => (await client.query(working)).rowCount !== 0,
    stop: () => client.end(),
  }
}
