import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startMainline } from './child.ts'
import { spreadOf } from './compare.ts'
import type { Row } from './row.ts'
import { fill, makeStore } from './store.ts'

/** Until the work of the start is finished. */
const restMs = 8_000
const measuredMs = 20_000

/** The load that an idle server puts on PostgreSQL. With embedded storage there is no other process, so nothing is polled. */
export const idle: Row = {
  name: 'idle',
  async run({ engine, postgresUrl, profiles }) {
    if (engine === 'sqlite') return []
    const store = await makeStore(engine, postgresUrl)
    await fill(store, 1, 10)
    const server = await startMainline(store.flags, profiles)
    const observer = new pg.Client(postgresUrl)
    await observer.connect()
    const read = async () => {
      const { rows } = await observer.query(
        `SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, (xact_commit + xact_rollback)::float8 AS transactions
         FROM pg_stat_database WHERE datname = $1`,
        [new URL(store.databaseUrl).pathname.slice(1)],
      )
      return { wal: Number(rows[0].wal), transactions: Number(rows[0].transactions) }
    }
    await pause(restMs)
    const before = await read()
    await pause(measuredMs)
    const after = await read()
    await observer.end()
    await server.stop()
    store.remove()
    const perSecond = (amount: number) => spreadOf([amount / (measuredMs / 1_000)])
    return [
      {
        engine,
        key: 'idle_transactions',
        work: 'transactions of an idle server',
        unit: '/s',
        atMost: 1,
        value: perSecond(after.transactions - before.transactions),
      },
      {
        engine,
        key: 'idle_wal',
        work: 'WAL beside an idle server',
        unit: 'B/s',
        atMost: 10,
        value: perSecond(after.wal - before.wal),
      },
    ]
  },
}
