import type { TestServer } from '../../packages/server/src/testing/harness.ts'
import { pastTables } from '../../packages/server/src/testing/inspect/past.ts'

type Row = Record<string, unknown>

/** Internal tables that belong to no account, the state of delivery, and versions that are derived from the log in the background. */
const ownTables: readonly string[] = [
  'migration',
  'sequence',
  'log_head',
  'log_tally',
  'seal',
  'lease',
  'waiting_change',
  'session',
  'sender',
  'delivery',
  'undelivered',
  'attempt',
  ...pastTables,
]

/** All stored rows of the account by table; for tables without an account, all rows. */
export async function rowsOf({ service }: TestServer, account: string): Promise<Map<string, string[]>> {
  const { engine } = service.storage
  const query = async (sql: string) => (await engine.reads.query(sql, [])).rows as Row[]
  const listed =
    engine.dialect.name === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'"
  const tables = (await query(listed)).map(({ name }) => String(name)).filter((name) => !ownTables.includes(name))
  const found = new Map<string, string[]>()
  for (const table of tables.toSorted()) {
    const rows = await query(`SELECT * FROM ${table}`)
    const whose = table === 'account' ? 'name' : 'account'
    const own = rows.filter((row) => !(whose in row) || row[whose] === account)
    // Records get their position a little later, and a token stores its last use once a minute.
    found.set(table, own.map(({ position: _, last_used: __, ...row }) => JSON.stringify(row)).toSorted())
  }
  return found
}

/** Rows that were removed or changed, and new rows of the account. */
export function differences(before: Map<string, string[]>, after: Map<string, string[]>, account: string): string[] {
  return [...before].flatMap(([table, rows]) => {
    const now = new Set(after.get(table))
    const then = new Set(rows)
    const come = [...now].filter((row) => !then.has(row) && row.includes(`"${account}"`))
    return [...rows.filter((row) => !now.has(row)), ...come].map((row) => `${table}: ${row}`)
  })
}
