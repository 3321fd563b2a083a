import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { readConfig } from '../../packages/server/src/common/config.ts'
import { makeServiceRole, urlAs } from '../../packages/server/src/testing/data/roles.ts'
import {
  createDatabase,
  type PostgresServer,
  startPostgres,
} from '../../packages/server/src/testing/servers/postgres.ts'
import { type Link, startLink } from './link.ts'

/** A PostgreSQL with a synchronous standby, and proxies in front of it and between the two. */
export interface Database {
  readonly link: Link
  primary(): PostgresServer
  standby(): PostgresServer | undefined
  /** The proxy of the replication connection. */
  replication(): Link | undefined
  /** Promotes the standby; the former primary is gone for good. */
  failOver(): Promise<void>
  /** Creates a new standby of the current primary. */
  addStandby(): Promise<void>
  /** Terminates the connections of the service; optionally only those that wait for the standby. */
  terminate(waiting?: 'waiting'): Promise<number>
}

export async function makeDatabase() {
  let primary = await startPostgres()
  let standby: PostgresServer | undefined
  let replication: Link | undefined
  const gone: PostgresServer[] = []
  const name = new URL(await createDatabase(primary.url)).pathname
  const link = await startLink(primary.port)
  const urlAt = (port: number) => `postgres://mainline@127.0.0.1:${port}${name}`
  const dataDir = mkdtempSync(join(tmpdir(), 'mainline-faults-'))
  const direct = () => [`--data-dir=${dataDir}`, `--database-url=${urlAt(primary.port)}`]
  // Servers connect as recommended by the guide: as a role with few rights.
  const role = await makeServiceRole({ ...readConfig(direct(), {}), databaseUrl: urlAt(primary.port) })
  const database: Database = {
    link,
    primary: () => primary,
    standby: () => standby,
    replication: () => replication,
    async addStandby() {
      // The copy must not wait for a standby of its own once it is promoted.
      await say(primary.url, 'ALTER SYSTEM RESET synchronous_standby_names')
      replication = await startLink(primary.port)
      standby = await startPostgres({}, { standbyOf: replication })
      // Only one that is connected counts as a standby.
      while ((await say(primary.url, `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'`)).rowCount === 0) {
        await pause(20)
      }
      await say(primary.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
      await say(primary.url, 'SELECT pg_reload_conf()')
    },
    async failOver() {
      await primary.crash()
      gone.push(primary)
      replication?.close()
      primary = standby as PostgresServer
      standby = undefined
      replication = undefined
      await say(primary.url, 'SELECT pg_promote(true)')
    },
    async terminate(waiting) {
      const those = waiting ? `AND wait_event = 'SyncRep'` : ''
      const ended = await say(
        primary.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mainline' ${those}`,
      )
      return ended.rowCount ?? 0
    },
  }
  return {
    database,
    flags: [`--data-dir=${dataDir}`, `--database-url=${urlAs(urlAt(link.port), role)}`, '--migrate=false'],
    direct,
    async close() {
      link.close()
      replication?.close()
      for (const server of [standby, primary, ...gone]) await server?.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
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
