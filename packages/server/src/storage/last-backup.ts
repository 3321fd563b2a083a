import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection } from './connection.ts'
import { rowsOf } from './connection.ts'

/**
 * The time of the last completed backup. Embedded storage is written only by the server, so the time is in a file beside the database;
 * in PostgreSQL it is the expiry of a lease named `backup`, which all servers see.
 */
interface BackedUp {
  readonly databaseUrl: string
  readonly dataDir: string
}

const fileIn = (dataDir: string) => join(dataDir, 'last-backup')

export async function recordBackup({ databaseUrl, dataDir }: BackedUp): Promise<void> {
  if (!databaseUrl) return writeFile(fileIn(dataDir), `${Date.now()}\n`, { mode: 0o600 })
  const { default: pg } = await import('pg')
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query(recordSql)
  } finally {
    await client.end()
  }
}

/** By the clock of the database, as for all leases. */
const recordSql = `INSERT INTO lease (name, holder, epoch, expires)
  VALUES ('backup', '', 0, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  ON CONFLICT (name) DO UPDATE SET expires = excluded.expires`

/** Milliseconds since 1970; undefined when there was none. */
export async function lastBackupIn(dataDir: string): Promise<number | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '')
  return Number(text) || undefined
}

export async function lastBackupOn(connection: Connection): Promise<number | undefined> {
  const { rows } = await connection.query(`SELECT expires FROM lease WHERE name = 'backup'`, [])
  const [row] = rowsOf<{ expires: number }>(rows)
  return row?.expires
}
