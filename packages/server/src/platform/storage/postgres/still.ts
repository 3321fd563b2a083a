import pg from 'pg'
import type { Counter, Denied, Shape, Step, Still } from '../copy/still.ts'
import { type DatabaseAddress, readAddress } from './address.ts'
import { types } from './connection.ts'

const rowsAtOnce = 500

const grantOn = (kind: 'TABLE' | 'SEQUENCE', name: string) =>
  `format('GRANT SELECT ON ${kind} %I.%I TO %I;', current_schema(), ${name}, current_user)`

/** Of several hosts the first that answers: a standby is as good as the primary for reading one snapshot. */
async function connectToFirst({ urls }: DatabaseAddress): Promise<pg.Client> {
  const failures: unknown[] = []
  for (const connectionString of urls) {
    const client = new pg.Client({
      connectionString,
      types,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      application_name: 'mainline copy',
    })
    // A lost connection fails the query that is running. Without a listener the event would end the process.
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      failures.push(error)
    }
  }
  throw failures[0]
}

/** One snapshot in a connection of its own, which no time limit of the service ends. */
export async function stillOfPostgres(url: string): Promise<Still> {
  const client = await connectToFirst(readAddress(url))
  const all = async <Row>(sql: string) => (await client.query(sql)).rows as Row[]
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0;
      SET LOCAL idle_in_transaction_session_timeout = 0`)
    const steps = await all<Step>('SELECT number, name, checksum, applied_at FROM migration ORDER BY number')
    return {
      engine: 'postgres',
      steps,
      // From the catalogue: information_schema shows only what the role may use.
      tables: () =>
        all<Shape & Denied>(`SELECT relname::text AS name, array_agg(attname::text ORDER BY attnum) AS columns,
            CASE WHEN NOT has_table_privilege(pg_class.oid, 'SELECT') THEN ${grantOn('TABLE', 'relname')}
              WHEN row_security_active(pg_class.oid) THEN format('ALTER ROLE %I BYPASSRLS;', current_user) END AS grant
          FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
          WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') GROUP BY pg_class.oid`),
      // Sequences stand outside the snapshot: what is read here was drawn at or after it, so nothing is drawn twice.
      counters: () =>
        all<
          Counter & Denied
        >(`SELECT CASE WHEN sequencename = 'log_ticket' THEN 'ticket' WHEN sequencename LIKE '%\\_id\\_seq' THEN 'row' ELSE 'id' END AS kind,
            CASE WHEN sequencename = 'log_ticket' THEN 'log' ELSE regexp_replace(sequencename, '_id(_seq)?$', '') END AS name,
            coalesce(last_value, 0) AS value,
            CASE WHEN NOT has_sequence_privilege(format('%I.%I', schemaname, sequencename), 'SELECT, USAGE')
              THEN ${grantOn('SEQUENCE', 'sequencename')} END AS grant
          FROM pg_sequences WHERE schemaname = current_schema()`),
      async *rows(sql) {
        await client.query(`DECLARE reading NO SCROLL CURSOR FOR ${sql}`)
        for (let full = true; full; ) {
          const { rows } = await client.query({ text: `FETCH ${rowsAtOnce} FROM reading`, rowMode: 'array' })
          yield rows
          full = rows.length === rowsAtOnce
        }
        await client.query('CLOSE reading')
      },
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}
