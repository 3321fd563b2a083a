// The stored rows, read beside the running server.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { TestStore } from '../../packages/server/src/testing/harness.ts'
import { pastTables } from '../../packages/server/src/testing/inspect/past.ts'

/** Internal tables, independent of the caller: numbering, leases, delivery and background jobs. */
const ownTables: readonly string[] = [
  ...['migration', 'sequence', 'log_head', 'seal', 'lease', 'session', 'sender', 'delivery', 'undelivered', 'attempt'],
  ...['query_watch', 'query_member', 'attribute_value', 'unique_value', 'dropped_key', 'log_tally', 'waiting_change'],
  ...pastTables,
]
const ownColumns = {
  log: ['position'],
  attribute: ['filled', 'filled_to'],
  unique_rule: ['state', 'checked', 'checked_to', 'duplicates'],
} as Record<string, readonly string[]>
/** Of the log only records of requests: members of watched queries are recorded in the background. */
const asked = { log: "WHERE request_id <> ''" } as Record<string, string>

interface StateReader {
  /** Takes a snapshot of the stored rows. */
  mark(): Promise<void>
  /** The tables that differ from the snapshot; none if an account has been created. */
  changed(): Promise<string[]>
  /** Releases the snapshot: while it is held, the database cannot remove old row versions. */
  release(): Promise<void>
  close(): Promise<void>
}

export function openStateReader(store: TestStore): Promise<StateReader> {
  return store.engine === 'sqlite' ? sqliteState(join(store.dataDir, 'mainline.db')) : postgresState(store.databaseUrl)
}

/** The previous state is held by a read transaction; it is compared only if another connection has committed since. */
async function sqliteState(path: string): Promise<StateReader> {
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
      return version.get()?.data_version === marked ? [] : differing(digestsOf(then), digestsOf(now))
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

/** By table: the number of rows, and a hash of them. */
type Digests = ReadonlyMap<string, string>

const countOf = (digests: Digests, table: string) => digests.get(table)?.split(' ')[0]

/** An account that is named for the first time is created, even if the request is refused. */
function differing(then: Digests, now: Digests): string[] {
  if (countOf(then, 'account') !== countOf(now, 'account')) return []
  return [...now.keys()].filter((table) => then.get(table) !== now.get(table))
}

function digestsOf(database: DatabaseSync): Digests {
  const all = (sql: string) => database.prepare(sql).all()
  const listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
  const tables = all(listed).map(({ name }) => String(name))
  const digests = new Map<string, string>()
  for (const table of tables.filter((name) => !ownTables.includes(name))) {
    const columns = all(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => String(name))
    const shown = columns.filter((name) => !ownColumns[table]?.includes(name)).map((name) => `"${name}"`)
    const rows = database.prepare(`SELECT ${shown} FROM ${table} ${asked[table] ?? ''}`)
    rows.setReturnArrays(true)
    const found = rows.all()
    digests.set(table, `${found.length} ${hash('sha256', JSON.stringify(found))}`)
  }
  return digests
}

/** The same with a snapshot; every write of any connection uses a transaction id of the server. */
async function postgresState(url: string): Promise<StateReader> {
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
  const digests = async (client: pg.Client, tables: readonly string[]): Promise<Digests> =>
    new Map((await client.query(digestStatement(tables))).rows.map(({ name, digest }) => [name, digest]))
  let marked: unknown
  return {
    async mark() {
      marked = await drawn()
      await then.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM account')
    },
    async changed() {
      if ((await drawn()) === marked) return []
      const tables = await written()
      return tables.length > 0 ? differing(await digests(then, tables), await digests(now, tables)) : []
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
    return `SELECT '${table}' AS name, ${all} AS digest FROM ${table} t ${asked[table] ?? ''}`
  })
  return parts.join(' UNION ALL ')
}
