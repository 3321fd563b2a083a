import pg from 'pg'
import { rowsOf } from '../connection.ts'
import type { AppliedMigration, Counter, Denied, Shape, StoreSnapshot } from '../copy/snapshot.ts'
import { type DatabaseAddress, readAddress } from './address.ts'
import { types } from './connection.ts'

const rowsPerFetch = 500

const grantOn = (kind: 'TABLE' | 'SEQUENCE', name: string) =>
  `format('GRANT SELECT ON ${kind} %I.%I TO %I;', current_schema(), ${name}, current_user)`

/** Connects to the first host that answers; a standby is fine for reading a snapshot. */
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
    // A lost connection fails the running query. Without a listener the event would end the process.
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

/** A snapshot on its own connection, without time limits. */
export async function snapshotOfPostgres(url: string): Promise<StoreSnapshot> {
  const client = await connectToFirst(readAddress(url))
  const all = async <Row>(sql: string) => rowsOf<Row>((await client.query(sql)).rows)
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0;
      SET LOCAL idle_in_transaction_session_timeout = 0`)
    const steps = await all<AppliedMigration>(
      'SELECT number, name, checksum, applied_at FROM migration ORDER BY number',
    )
    return {
      engine: 'postgres',
      steps,
      // From the catalogue, because information_schema hides tables that the role may not use.
      tables: () =>
        all<Shape & Denied>(`SELECT relname::text AS name, array_agg(attname::text ORDER BY attnum) AS columns,
            CASE WHEN NOT has_table_privilege(pg_class.oid, 'SELECT') THEN ${grantOn('TABLE', 'relname')}
              WHEN row_security_active(pg_class.oid) THEN format('ALTER ROLE %I BYPASSRLS;', current_user) END AS grant
          FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
          WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') GROUP BY pg_class.oid`),
      // Sequences are not transactional: the values read here are from the snapshot's time or later, so no id is drawn twice.
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
          const { rows } = await client.query({ text: `FETCH ${rowsPerFetch} FROM reading`, rowMode: 'array' })
          yield rows
          full = rows.length === rowsPerFetch
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
