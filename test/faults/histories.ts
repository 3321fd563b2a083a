// Ways in which a database goes back to an earlier state. For what must hold afterwards see going-back.ts.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { makeStore, startServer, type TestServer, type TestStore } from '../../packages/server/src/testing/harness.ts'
import {
  createDatabase,
  type PostgresServer,
  startPostgres,
  takeBaseBackup,
} from '../../packages/server/src/testing/servers/postgres.ts'
import { expectNothingOfTheLost } from './going-back.ts'
import { startLink } from './link.ts'

interface WayBack {
  readonly name: string
  /** Rejects with the violation. `load`: clients that make other changes concurrently. */
  run(load: number): Promise<void>
}

/** An SQLite store, and a place for a copy of it. */
async function embedded() {
  const store = await makeStore('sqlite')
  const kept = mkdtempSync(join(tmpdir(), 'mainline-kept-'))
  let server = await startServer('sqlite', { store })
  return {
    database: join(store.dataDir, 'mainline.db'),
    directory: store.dataDir,
    kept,
    servers: [server],
    copyDatabase: (to: string) => server.service.storage.engine.script(`VACUUM INTO '${to}'`),
    async restart(work: () => void): Promise<TestServer[]> {
      await server.close()
      work()
      server = await startServer('sqlite', { store })
      return [server]
    },
    async end() {
      await server.close()
      store.remove()
      rmSync(kept, { recursive: true, force: true })
    },
  }
}

const copiedFile: WayBack = {
  name: 'a copy of the database is put back',
  async run(load) {
    const { database, kept, servers, copyDatabase, restart, end } = await embedded()
    const copy = join(kept, 'mainline.db')
    await expectNothingOfTheLost({
      servers,
      load,
      keep: () => copyDatabase(copy),
      goBack: () => restart(() => cpSync(copy, database)),
    }).finally(end)
  },
}

const copiedDirectory: WayBack = {
  name: 'a copy of the whole directory is put back',
  async run(load) {
    const { directory, kept, servers, copyDatabase, restart, end } = await embedded()
    const copy = join(kept, 'data')
    await expectNothingOfTheLost({
      servers,
      load,
      async keep() {
        // The write-ahead log belongs to the database file and is copied with it.
        await pause(1_500)
        cpSync(directory, copy, { recursive: true, filter: (name) => !name.includes('mainline.db') })
        await copyDatabase(join(copy, 'mainline.db'))
      },
      goBack: () =>
        restart(() => {
          rmSync(directory, { recursive: true })
          cpSync(copy, directory, { recursive: true })
        }),
    }).finally(end)
  },
}

async function say(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

async function isTrue(url: string, condition: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if ((await say(url, `SELECT ${condition} AS holds`)).rows[0].holds) return
    await pause(50)
  }
  throw new Error(`never on ${url}: ${condition}`)
}

/** A database behind a proxy that can be switched to another one, and servers on it. */
async function shared(settings: Record<string, string> = {}) {
  const primary = await startPostgres(settings)
  const started: PostgresServer[] = [primary]
  const name = new URL(await createDatabase(primary.url)).pathname
  const link = await startLink(primary.port)
  const own = await makeStore('sqlite')
  const kept = mkdtempSync(join(tmpdir(), 'mainline-kept-'))
  const url = `postgres://mainline@127.0.0.1:${link.port}${name}`
  const flags = [`--data-dir=${own.dataDir}`, `--database-url=${url}`]
  const store: TestStore = { ...own, engine: 'postgres', databaseUrl: url, flags }
  const servers = [await startServer('postgres', { store }), await startServer('postgres', { store })]
  return {
    primary,
    started,
    link,
    kept,
    servers,
    async restart(work: () => Promise<void>): Promise<TestServer[]> {
      for (const server of servers.splice(0)) await server.close()
      await work()
      servers.push(await startServer('postgres', { store }), await startServer('postgres', { store }))
      return servers
    },
    async end() {
      for (const server of servers) await server.close()
      link.close()
      for (const each of started) await each.stop()
      own.remove()
      rmSync(kept, { recursive: true, force: true })
    },
  }
}

const asynchronousStandby: WayBack = {
  name: 'an asynchronous standby that is behind is promoted under running servers',
  async run(load) {
    const { primary, started, link, servers, end } = await shared()
    const replication = await startLink(primary.port)
    const standby = await startPostgres({}, { standbyOf: replication })
    started.push(standby)
    await expectNothingOfTheLost({
      servers,
      load,
      async keep() {
        const { rows } = await say(primary.url, 'SELECT pg_current_wal_lsn() AS lsn')
        await isTrue(standby.url, `pg_last_wal_replay_lsn() >= '${rows[0].lsn}'`)
        replication.swallow()
      },
      async goBack() {
        link.cut()
        await primary.crash()
        replication.close()
        await say(standby.url, 'SELECT pg_promote(true)')
        link.mend(standby.port)
        return servers
      },
    }).finally(end)
  },
}

/** Preserves owners, since PostgreSQL runs as its own user. */
function copyDirectory(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  execFileSync('cp', ['-a', from, to])
}

const snapshot: WayBack = {
  name: 'a snapshot of its disk is put back under running servers',
  async run(load) {
    const { primary, kept, servers, end } = await shared()
    const copy = join(kept, 'data')
    await expectNothingOfTheLost({
      servers,
      load,
      async keep() {
        await primary.crash()
        copyDirectory(primary.data, copy)
        await primary.start()
        for (const server of servers) while (!(await server.call('GET', '/topo/model/0')).result) await pause(50)
      },
      async goBack() {
        await primary.crash()
        copyDirectory(copy, primary.data)
        await primary.start()
        return servers
      },
    }).finally(end)
  },
}

const pointInTime: WayBack = {
  name: 'it is recovered to a point in time while no server runs',
  async run(load) {
    const recovery = { restore_command: 'false', recovery_target: 'immediate', recovery_target_action: 'promote' }
    const { primary, kept, servers, restart, end } = await shared(recovery)
    let backup = ''
    await expectNothingOfTheLost({
      servers: [...servers],
      load,
      async keep() {
        backup = await takeBaseBackup(primary, kept)
      },
      goBack: () =>
        restart(async () => {
          await primary.crash()
          copyDirectory(backup, primary.data)
          // Recovery ends on a new timeline, which also reveals it to a process that has never seen the lost records.
          writeFileSync(join(primary.data, 'recovery.signal'), '')
          await primary.start()
          await isTrue(primary.url, 'NOT pg_is_in_recovery()')
        }),
    }).finally(end)
  },
}

export const waysBack: Record<'sqlite' | 'postgres', readonly WayBack[]> = {
  sqlite: [copiedFile, copiedDirectory],
  postgres: [asynchronousStandby, snapshot, pointInTime],
}
