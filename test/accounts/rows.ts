import type { TestServer } from '../../packages/server/src/testing/harness.ts'

type Row = Record<string, unknown>

/** The service's own bookkeeping, which belongs to no account; and what it notes of events as it sends them. */
const ownTables = [
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
]

/** Everything that is stored for the account, by table; of tables that do not tell whose a row is, everything. */
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
    // Records get their position a little later.
    found.set(table, own.map(({ position: _, ...row }) => JSON.stringify(row)).toSorted())
  }
  return found
}

/** Rows that were there and are no longer, or not as they were; and rows of the account that have come. */
export function differences(before: Map<string, string[]>, after: Map<string, string[]>, account: string): string[] {
  return [...before].flatMap(([table, rows]) => {
    const now = new Set(after.get(table))
    const then = new Set(rows)
    const come = [...now].filter((row) => !then.has(row) && row.includes(`"${account}"`))
    return [...rows.filter((row) => !now.has(row)), ...come].map((row) => `${table}: ${row}`)
  })
}
