// The stored rows, read beside the running server.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { TestStore } from '../../packages/server/src/testing/harness.ts'

/** Internal tables, independent of the caller: numbering, leases, delivery and background jobs. */
const ownTables = [
  ...['migration', 'sequence', 'log_head', 'seal', 'lease', 'session', 'sender', 'delivery', 'undelivered', 'attempt'],
  ...['query_watch', 'query_member', 'attribute_value', 'dropped_key', 'log_tally', 'waiting_change'],
]
const ownColumns = { log: ['position'], attribute: ['filled', 'filled_to'] } as Record<string, readonly string[]>
/** Of the log only records of requests: members of watched queries are recorded in the background. */
const asked = { log: "WHERE request_id <> ''" } as Record<string, string>

interface StateReader {
  /** Takes a snapshot of the stored rows. */
  mark(): Promise<void>
  /** Whether anything differs from the snapshot, except for a newly created account. */
  changed(): Promise<boolean>
  /** Releases the snapshot: while it is held, the database cannot remove old row versions. */
  release(): Promise<void>
  close(): Promise<void>
}

export function openStateReader(store: TestStore): Promise<StateReader> {
  return store.engine === 'sqlite'
    ? sqliteLedger(join(store.dataDir, 'mainline.db'))
    : postgresLedger(store.databaseUrl)
}

/** The previous state is held by a read transaction; it is compared only if another connection has committed since. */
async function sqliteLedger(path: string): Promise<StateReader> {
  const open = () => new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  const [then, now] = [open(), open()]
  const version = now.prepare('PRAGMA data_version')
  let marked: unknown
  return {
    async mark() {
      marked = version.get()?.data_version
      then.exec('BEGIN; SELECT count(*) FROM account')
    },
    async changed() {
      return version.get()?.data_version !== marked && differ(digestOf(then), digestOf(now))
    },
    async release() {
      then.exec('COMMIT')
    },
    async close() {
      then.close()
      now.close()
    },
  }
}

interface Seen {
  readonly accounts: number
  readonly digest: string
}

/** An account that is named for the first time is created, even if the request is refused. */
const differ = (then: Seen, now: Seen) => then.accounts === now.accounts && then.digest !== now.digest

function digestOf(database: DatabaseSync): Seen {
  const all = (sql: string) => database.prepare(sql).all()
  const listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
  const tables = all(listed).map(({ name }) => String(name))
  const hash = createHash('sha256')
  for (const table of tables.filter((name) => !ownTables.includes(name))) {
    const columns = all(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => String(name))
    const shown = columns.filter((name) => !ownColumns[table]?.includes(name)).map((name) => `"${name}"`)
    const rows = database.prepare(`SELECT ${shown} FROM ${table} ${asked[table] ?? ''}`)
    rows.setReturnArrays(true)
    hash.update(`${table} ${JSON.stringify(rows.all())}\n`)
  }
  return { accounts: all('SELECT name FROM account').length, digest: hash.digest('hex') }
}

/** The same with a snapshot; every write of any connection uses a transaction id of the server. */
async function postgresLedger(url: string): Promise<StateReader> {
  const [then, now] = [new pg.Client(url), new pg.Client(url)]
  await Promise.all([then.connect(), now.connect()])
  const { rows } = await now.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  )
  const tables = rows.map(({ name }) => name).filter((name) => !ownTables.includes(name))
  const glance = tables
    .map((table) => `SELECT '${table}' AS name, ${writers} AS mark FROM ${table}`)
    .join(' UNION ALL ')
  const marks = async (client: pg.Client) =>
    new Map((await client.query<{ name: string; mark: string }>(glance)).rows.map(({ name, mark }) => [name, mark]))
  const drawn = async () =>
    (await now.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next')).rows[0].next
  const written = async () => {
    const [before, after] = [await marks(then), await marks(now)]
    return tables.filter((table) => before.get(table) !== after.get(table)).toSorted()
  }
  const digest = async (client: pg.Client, tables: readonly string[]) =>
    (await client.query<Seen>(digestStatement(tables))).rows[0] as Seen
  let marked: unknown
  return {
    async mark() {
      marked = await drawn()
      await then.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM account')
    },
    async changed() {
      if ((await drawn()) === marked) return false
      const tables = await written()
      return tables.length > 0 && differ(await digest(then, tables), await digest(now, tables))
    },
    release: async () => void (await then.query('COMMIT')),
    close: async () => void (await Promise.all([then.end(), now.end()])),
  }
}

/** The transaction ids of the rows: if they are equal, the table is unchanged and need not be read. */
const writers = "count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0)"

function digestStatement(tables: readonly string[]): string {
  const parts = tables.map((table) => {
    const hidden = ownColumns[table]?.map((column) => `'${column}'`)
    const row = hidden ? `(to_jsonb(t) - ARRAY[${hidden}])::text` : 't::text'
    // A sum, so that rows need not be sorted, which would take longer than everything else.
    const all = `count(*) || ' ' || coalesce(sum(hashtextextended(${row}, 0)), 0)`
    return `SELECT '${table} ' || ${all} AS part FROM ${table} t ${asked[table] ?? ''}`
  })
  const digest = `SELECT string_agg(part, ' ' ORDER BY part) FROM (${parts.join(' UNION ALL ')}) AS parts`
  return `SELECT (${digest}) AS digest, (SELECT count(*)::int FROM account) AS accounts`
}
