// What is stored, as one digest, read beside the running server.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { TestStore } from '../../packages/server/src/testing/harness.ts'

/** What the service notes for itself, whoever asks for what: its numbering, its leases, what it has sent and filled in. */
const ownTables = [
  ...['migration', 'sequence', 'log_head', 'seal', 'lease', 'session', 'sender', 'delivery', 'undelivered', 'attempt'],
  ...['query_watch', 'query_member', 'attribute_value', 'dropped_key'],
]
const ownColumns = { log: ['position'], attribute: ['filled', 'filled_to'] } as Record<string, readonly string[]>
/** Of the log only what was asked for: members of followed queries are recorded in the background. */
const asked = { log: "WHERE request_id <> ''" } as Record<string, string>

export interface Seen {
  /** Of all rows of all tables, the log among them. */
  readonly digest: string
  readonly accounts: number
}

export interface Ledger {
  look(): Promise<Seen>
  close(): Promise<void>
}

export function openLedger(store: TestStore): Promise<Ledger> {
  return store.engine === 'sqlite'
    ? sqliteLedger(join(store.dataDir, 'mainline.db'))
    : postgresLedger(store.databaseUrl)
}

async function sqliteLedger(path: string): Promise<Ledger> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !ownTables.includes(name))
  const statements = tables.map((table) => ({
    table,
    all: database.prepare(`SELECT * FROM ${table} ${asked[table] ?? ''}`),
  }))
  const version = database.prepare('PRAGMA data_version')
  const accounts = database.prepare('SELECT count(*) AS count FROM account')
  let seen = -1
  let known = { digest: '', accounts: 0 }
  return {
    async look() {
      // It stays the same as long as nobody else commits anything at all.
      const now = Number(version.get()?.data_version)
      if (now === seen) return known
      const hash = createHash('sha256')
      for (const { table, all } of statements) {
        const rows = all.all().map((row) => JSON.stringify({ ...row, ...without(table) }))
        hash.update(`${table} ${rows.toSorted().join('\n')}\n`)
      }
      seen = now
      known = { digest: hash.digest('hex'), accounts: Number(accounts.get()?.count) }
      return known
    },
    close: async () => database.close(),
  }
}

const without = (table: string) => Object.fromEntries((ownColumns[table] ?? []).map((column) => [column, null]))

async function postgresLedger(url: string): Promise<Ledger> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  )
  const parts = rows
    .map(({ name }) => name)
    .filter((name) => !ownTables.includes(name))
    .toSorted()
    .map((table) => {
      const row = `(to_jsonb(t) - ARRAY[${(ownColumns[table] ?? []).map((column) => `'${column}'`)}]::text[])::text`
      return `SELECT '${table}' || md5(coalesce(string_agg(${row}, '|' ORDER BY ${row}), '')) AS part FROM ${table} t ${asked[table] ?? ''}`
    })
  const digest = `SELECT string_agg(part, ' ' ORDER BY part) FROM (${parts.join(' UNION ALL ')}) AS parts`
  const statement = `SELECT (${digest}) AS digest, (SELECT count(*)::int FROM account) AS accounts`
  return {
    look: async () => (await client.query<Seen>(statement)).rows[0] as Seen,
    close: () => client.end(),
  }
}
