import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Refusal } from '../../common/refusal.ts'
import { cursorNow, eventsSince } from '../../testing/clients/watching.ts'
import { type Everything, everythingIn, makeRichEstate, type Rich } from '../../testing/copies.ts'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { makeHost } from '../../testing/data/hosts.ts'
import { runAs, urlAs } from '../../testing/data/roles.ts'
import { becomes, findSubscription, told } from '../../testing/data/subscriptions.ts'
import {
  configOf,
  type EngineName,
  eachEngine,
  isBehindPooler,
  makeStore,
  startServer,
  type TestServer,
  type TestStore,
} from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'
import { caughtUp } from '../../testing/inspect/past.ts'
import { type Received, type Receiver, startReceiver } from '../../testing/servers/receiver.ts'
import { openEngine } from '../index.ts'
import { sealNext } from '../log/seals.ts'
import { tallyNext } from '../log/tally.ts'
import { verifyLog } from '../log/verify.ts'
import { backUp, checkBackup, move, restore } from './index.ts'

const silently = () => {}
const home = mkdtempSync(join(tmpdir(), 'mainline-copy-'))
const stores: TestStore[] = []
afterAll(() => {
  for (const store of stores) store.remove()
  rmSync(home, { recursive: true, force: true })
})
async function emptyStore(engine: EngineName): Promise<TestStore> {
  const store = await makeStore(engine)
  stores.push(store)
  return store
}

/** Without tables that may differ in a copy: state of running processes, and what only a restore changes. */
const without = (all: Everything, ...tables: string[]) =>
  Object.fromEntries(Object.entries(all).filter(([table]) => !tables.includes(table)))

/** Behind a pooler the sessions of a stopped server look like those of a running one for ten seconds. */
async function whenIdle<T>(work: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + 20_000; ; await pause(500)) {
    try {
      return await work()
    } catch (error) {
      const isRecent = error instanceof Refusal && error.message.includes('A server is running on')
      if (!isBehindPooler || !isRecent || Date.now() > until) throw error
    }
  }
}

eachEngine((from) => {
  let origin: TestStore
  let before: Everything
  let rich: Rich
  let receiver: Receiver
  let cursor: string
  let epoch: string
  const file = join(home, `of-${from}`)

  beforeAll(async () => {
    origin = await emptyStore(from)
    receiver = await startReceiver()
    const server = await startServer(from, { store: origin })
    rich = await makeRichEstate(server, receiver.url)
    await readLog(server.service.storage.read)
    await sealNext(server.service.storage.engine, Date.now(), true)
    await tallyNext(server.service.storage.engine)
    cursor = await cursorNow(server)
    epoch = server.service.storage.epoch
    await makeSet(server, rich.business, { bk_parent_id: rich.zone, bk_set_name: 'told' })
    await receiver.received(1)
    await vi.waitFor(
      async () => expect(await findSubscription(server, rich.subscription)).toMatchObject({ lag: 0 }),
      20_000,
    )
    // The id of a deleted host is never drawn again.
    const gone = await makeHost(server)
    await server.call('DELETE', '/hosts/batch', { bk_host_id: `${gone}` })
    await caughtUp(server)
    const { verdict } = await backUp(configOf(origin), file, silently)
    expect(verdict).toMatchObject({ segments: 1, faults: [] })
    await server.close()
    before = await everythingIn(origin)
  })
  afterAll(() => receiver.close())

  const goesOn = async (server: TestServer, skipped = 0) => {
    const taken = (table: string, column: string) => new Set(before[table]?.map((row) => row[column]))
    expect(taken('business', 'biz_id')).not.toContain(await makeBusiness(server))
    const host = await makeHost(server)
    expect(taken('host', 'host_id')).not.toContain(host)
    const drawn = before.counters?.find((each) => each.kind === 'id' && each.name === 'host')?.value as number
    expect(host).toBe(drawn + skipped + 1)
    expect((await verifyLog(server.service.storage.heavy, silently)).faults).toEqual([])
  }

  describe.each<EngineName>(['sqlite', 'postgres'])('to %s', (to) => {
    it('is restored row for row, and continues with ids that were never used', async () => {
      const store = await emptyStore(to)
      const { verdict } = await restore(file, configOf(store), silently)
      expect(verdict).toMatchObject({ restores: 1, faults: [] })
      const after = await everythingIn(store)
      const changed = [
        'counters',
        'delivery',
        'session',
        'seal',
        'log_head',
        'attempt',
        'log',
        'history_reset',
        'past_head',
      ]
      expect(without(after, ...changed)).toEqual(without(before, ...changed))
      expect(after.past_head?.[0]?.position).toBe(before.past_head?.[0]?.position)
      // Except for the record of the restore itself.
      const own = after.log?.filter((record) => record.object_id !== 'history')
      expect(own).toEqual(before.log)
      expect(after.log).toHaveLength((before.log?.length ?? 0) + (before.account?.length ?? 0))
      expect(after.session).toEqual([])
      expect(before.session).toHaveLength(1)
      expect(after.seal).toEqual(expect.arrayContaining(before.seal as object[]))

      const sent = receiver.requests.map(told)
      const server = await startServer(to, { store })
      expect(server.service.storage.epoch).not.toBe(epoch)
      // The cursor's record is in the backup: no event was missed, and the restore itself is an event.
      expect((await eventsSince(server, 'set', cursor)).map((event) => event.bk_detail?.bk_set_name)).toEqual(['told'])
      expect(await eventsSince(server, 'history', cursor)).toMatchObject([{ bk_detail: { cause: 'restored' } }])
      // A cursor from after the backup is not confused with new records.
      await makeSet(server, rich.business, { bk_parent_id: rich.zone, bk_set_name: 'told by the restored one' })
      const [reset, last] = (await receiver.received(sent.length + 2)).slice(sent.length)
      expect(JSON.parse(reset?.body ?? '')).toMatchObject({ obj_type: 'history', action: 'create' })
      expect(told(last as Received)).toMatchObject({ name: 'told by the restored one' })
      expect(told(last as Received).distribution).toBeGreaterThan(1_000_000_000)
      expect(sent.map((each) => each.id)).not.toContain(told(last as Received).id)
      await becomes(server, rich.subscription, { lag: 0, state: 'active' })
      await goesOn(server, 1_000_000)
      await server.close()
    })
  })

  it('is moved to the other engine unchanged, unnoticed by its clients', async () => {
    const to = from === 'sqlite' ? 'postgres' : 'sqlite'
    const store = await emptyStore(to)
    await whenIdle(() => move(configOf(origin), configOf(store), silently))
    const after = await everythingIn(store)
    const [was, is] = [before, after].map((all) =>
      (all.delivery as object[]).map((row) => ({ ...row, epoch: 0, owner: '' })),
    )
    expect(is).toEqual(was)
    expect(after.counters?.filter((each) => each.kind !== 'ticket')).toEqual(
      before.counters?.filter((each) => each.kind !== 'ticket'),
    )
    const [head] = after.log_head as { position: number; epoch: number }[]
    expect(head).toMatchObject({ ...before.log_head?.[0], epoch: 0 })
    const changed = ['counters', 'delivery', 'log_head', 'history_reset']
    expect(without(after, ...changed)).toEqual(without(before, ...changed))

    const server = await startServer(to, { store })
    expect(server.service.storage.epoch).toBe(epoch)
    expect((await eventsSince(server, 'set', cursor)).map((event) => event.bk_detail?.bk_set_name)).toEqual(['told'])
    await goesOn(server)
    const log = await readLog(server.service.storage.read)
    expect(log.map((record) => record.position)).toEqual(log.map((_, index) => index + 1))
    await server.close()
  })

  it('refuses a target that has a store already, and a source with a running server', async () => {
    const there = await emptyStore(from === 'sqlite' ? 'postgres' : 'sqlite')
    const server = await startServer(there.engine, { store: there })
    await expect(restore(file, configOf(there), silently)).rejects.toThrow(
      there.engine === 'sqlite' ? 'Another Mainline is using' : 'already contains an estate',
    )
    const empty = configOf(await emptyStore('sqlite'))
    await expect(move(configOf(there), empty, silently)).rejects.toThrow(/is using|is running on/)
    await server.close()
    await expect(restore(file, configOf(there), silently)).rejects.toThrow('already contains an estate')
    const moving = whenIdle(() => move(configOf(origin), configOf(there), silently))
    await expect(moving).rejects.toThrow('is not overwritten')
    expect(readdirSync(empty.dataDir).filter((name) => name.startsWith('mainline'))).toEqual([])
  })

  it('ignores foreign tables, and refuses to copy an incomplete schema', async () => {
    const store = await emptyStore(from)
    await restore(file, configOf(store), silently)
    const engine = await openEngine(configOf(store))
    const own =
      from === 'sqlite' ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY'
    await engine.script(`CREATE TABLE theirs (id ${own}, note TEXT); INSERT INTO theirs (note) VALUES ('x');
      CREATE VIEW host_names AS SELECT id FROM host; ALTER TABLE host ADD COLUMN theirs TEXT;`)
    await engine.close()
    const kept = join(home, `beside-${from}`)
    const { contents } = await backUp(configOf(store), kept, silently)
    expect(Object.keys(contents.counts)).not.toContain('theirs')
    expect(contents.counters).not.toContainEqual(expect.objectContaining({ name: 'theirs' }))
    for (const to of ['sqlite', 'postgres'] as const) {
      const made = await emptyStore(to)
      await restore(kept, configOf(made), silently)
      expect((await everythingIn(made)).host).toEqual(before.host)
    }

    const again = await openEngine(configOf(store))
    await again.script('DROP TABLE host_ip; ALTER TABLE token DROP COLUMN name')
    await again.close()
    await expect(backUp(configOf(store), join(home, `partly-${from}`), silently)).rejects.toThrow(
      /^Not all of schema \d+ is there to be copied: no table host_ip, no column token.name\.$/,
    )
  })

  it('reports that the copied log is not intact, and keeps the copy', async () => {
    const store = await emptyStore(from)
    await restore(file, configOf(store), silently)
    const server = await startServer(from, { store })
    await server.service.storage.engine.script("UPDATE log SET operator = 'stranger' WHERE position = 2")
    const { verdict } = await backUp(configOf(store), join(home, `changed-${from}`), silently)
    expect(verdict.faults).toEqual([expect.objectContaining({ kind: 'changed' })])
    expect((await checkBackup(join(home, `changed-${from}`), silently)).verdict.faults).toEqual(verdict.faults)
    await server.close()
  })
})

describe('a role that may not read all of PostgreSQL', () => {
  const role = `reader_${process.pid}`
  let place: ReturnType<typeof configOf>
  let owned: string
  const copied = (name: string) => backUp(place, join(home, name), silently)

  beforeAll(async () => {
    const store = await emptyStore('postgres')
    owned = store.databaseUrl
    const server = await startServer('postgres', { store })
    await makeBusiness(server)
    await server.close()
    await runAs(owned, 'mainline', `CREATE ROLE ${role} LOGIN`)
    await runAs(owned, 'mainline', `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
    await runAs(owned, 'mainline', `GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO ${role}`)
    place = { ...configOf(store), databaseUrl: urlAs(owned, role) }
  })

  it('gets an error that names the missing privilege, and can copy once it is granted', async () => {
    await runAs(owned, 'mainline', `REVOKE ALL ON host_ip, biz_id, node_id_seq, session, lease FROM ${role}`)
    const missing = [
      `GRANT SELECT ON TABLE public.host_ip TO ${role};`,
      `GRANT SELECT ON SEQUENCE public.biz_id TO ${role};`,
      `GRANT SELECT ON SEQUENCE public.node_id_seq TO ${role};`,
    ]
    await expect(copied('denied')).rejects.toThrow(
      new Refusal(`This role may not read all of it. The owner of the tables can grant it:\n${missing.join('\n')}`),
    )
    for (const grant of missing) await runAs(owned, 'mainline', grant)
    const { contents } = await copied('granted')
    expect(contents.counters).toContainEqual({ kind: 'id', name: 'biz', value: 2 })
    const counted = (counters: typeof contents.counters) => counters.map(({ kind, name }) => `${kind} ${name}`)
    const { contents: ofSqlite } = await checkBackup(join(home, 'of-sqlite'), silently)
    expect(counted(contents.counters)).toEqual(counted(ofSqlite.counters))
  })

  it('is refused a copy that would lack rows hidden by a row-level policy', async () => {
    await runAs(owned, 'mainline', 'ALTER TABLE node ENABLE ROW LEVEL SECURITY')
    await expect(copied('hidden')).rejects.toThrow(`can grant it:\nALTER ROLE ${role} BYPASSRLS;`)
    await runAs(owned, 'mainline', 'ALTER TABLE node DISABLE ROW LEVEL SECURITY')
  })
})
