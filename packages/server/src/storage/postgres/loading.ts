import { type Connection, rowsOf } from '../connection.ts'
import type { Loading } from '../copy/loading.ts'

interface Undone {
  readonly undo: string
  readonly redo: string
}

/** Runs inside the transaction that created the tables, so no other session sees them without keys. */
export function loadPostgres(connection: Connection): Loading {
  let undone: Undone[] = []
  const types = new Map<string, string>()
  const all = async <Row>(sql: string) => rowsOf<Row>((await connection.query(sql, [])).rows)
  // One round trip for about a hundred statements.
  const run = (statements: string[]) => connection.script(statements.join(';\n'))
  return {
    async begin() {
      undone = await all<Undone>(removable)
      await run(undone.map(({ undo }) => undo))
      for (const { column, type } of await all<{ column: string; type: string }>(columnTypes)) types.set(column, type)
      await connection.script('DELETE FROM log_head')
    },
    async insert({ table, columns, rows }) {
      const values = columns.map((name, index) => `(value ->> ${index})::${types.get(`${table}.${name}`)}`)
      const sql = `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`)}) OVERRIDING SYSTEM VALUE
        SELECT ${values} FROM jsonb_array_elements($1::jsonb)`
      await connection.query(sql, [`[${rows}]`])
    },
    async raise(counters) {
      for (const { kind, name, value } of counters) {
        if (value < 1) continue
        const sequence = { id: `${name}_id`, row: `${name}_id_seq`, ticket: 'log_ticket' }[kind]
        await connection.query('SELECT setval($1::text::regclass, $2::bigint)', [sequence, value])
      }
    },
    async finish() {
      await run(undone.map(({ redo }) => redo).toReversed())
      // Without statistics the first queries would be planned for empty tables.
      await run((await all<{ name: string }>(tableNames)).map(({ name }) => `ANALYZE ${name}`))
    },
  }
}

const here = 'current_schema()::regnamespace'
/** Foreign keys are dropped first, since they depend on unique indexes; they are recreated in reverse order. */
const removable = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS undo,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS redo
  FROM pg_constraint WHERE contype = 'f' AND connamespace = ${here}
  UNION ALL
  SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE relnamespace = ${here} AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`
const columnTypes = `
  SELECT relname || '.' || attname AS column, format_type(atttypid, atttypmod) AS type
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = ${here} AND relkind = 'r' AND attnum > 0 AND NOT attisdropped`
const tableNames = `
  SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = ${here} AND relkind = 'r'`
