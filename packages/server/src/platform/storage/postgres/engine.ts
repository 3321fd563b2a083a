import { setTimeout as pause } from 'node:timers/promises'
import { problem } from '@mainline/contract'
import type pg from 'pg'
import { Refusal } from '../../refusal.ts'
import { Cache } from '../cache.ts'
import type { Connection } from '../connection.ts'
import { postgresDialect } from '../dialect.ts'
import { type Engine, maxCacheBytes, type Resolve, type TransactOptions } from '../engine.ts'
import { fairReads } from '../fair-reads.ts'
import { lastBackupOn } from '../last-backup.ts'
import { LockTimeout } from '../lock-timeout.ts'
import { type DatabaseAddress, readAddress } from './address.ts'
import { asking, codeOf, isConnectionLost, isSpent, over, unavailable } from './connection.ts'
import { DatabasePool } from './pool.ts'
import { expectSound } from './sound.ts'

const serialisationFailure = '40001'
const deadlock = '40P01'
const mostAttempts = 8
/** How long a cut-off commit is looked for before its outcome is called unknown, in milliseconds. */
const resolveTime = 10_000

/** How long one statement may take that scans or changes many rows, in milliseconds. */
const longestWork = 60_000
/**
 * How long a process may leave a transaction alone, in milliseconds. One that is frozen holds its locks for so long, and
 * with those on the head of the log it holds up everybody's events.
 */
const longestIdle = 5_000

/** How long most changes wait for a lock before they ask for a turn, in milliseconds. A lock that is free soon costs nothing more. */
const briefLockWait = 200

export interface PostgresOptions {
  url: string
  connections: number
  /** How long a connection or a lock is waited for, in milliseconds. */
  queueTime: number
}

/** PostgreSQL, shared by any number of processes. */
export async function openPostgresEngine({ url, connections, queueTime }: PostgresOptions): Promise<Engine> {
  const address = addressOf(url)
  const settings = {
    lock_timeout: Math.min(briefLockWait, queueTime),
    idle_in_transaction_session_timeout: longestIdle,
    statement_timeout: 0,
  }
  const pool = new DatabasePool({ address, connections, waitMs: queueTime, settings })
  const heavyConnections = Math.max(2, Math.ceil(connections / 2))
  const heavyPool = new DatabasePool({
    address,
    connections: heavyConnections,
    waitMs: queueTime,
    // One search takes one processor of the database, not three, so that small requests get their turn beside it.
    settings: { ...settings, statement_timeout: longestWork, max_parallel_workers_per_gather: 0 },
  })
  const mayPrepare = () => !pool.isPooled && !heavyPool.isPooled
  const heavyReads = fairReads(guarded(over(heavyPool, { timeoutMs: longestWork + 5_000, mayPrepare })), {
    maxConcurrentReads: heavyConnections,
    waitMs: queueTime,
  })
  await reach(pool, address)

  async function attempt<T>(
    txnId: string,
    work: (connection: Connection) => Promise<T>,
    { bulk = false, resolve = repeating, lockWait = 'full' }: TransactOptions,
  ): Promise<Outcome<T>> {
    const client = await pool.connect().catch((error) => {
      throw unavailable(error)
    })
    let result: T
    try {
      await pool.begin(client, lockWait === 'brief' ? undefined : queueTime)
      result = await work(over(client, { ...(bulk && { timeoutMs: longestWork }), mayPrepare }))
    } catch (error) {
      await rollBack(client, error)
      if ([serialisationFailure, deadlock].includes(codeOf(error))) return { again: true, because: error }
      if (lockWait === 'brief' && error instanceof LockTimeout) throw error
      throw unavailable(error)
    }
    try {
      const { command } = await client.query(asking('COMMIT'))
      client.release()
      if (command !== 'COMMIT') throw new Error('the transaction had failed before its commit')
      return { again: false, result }
    } catch (error) {
      client.release(true)
      if (codeOf(error) === serialisationFailure) return { again: true, because: error }
      if (!isConnectionLost(error)) throw error
      const way = resolve()
      if (way === 'not') throw problem('outcomeUnknown', { txn: txnId })
      if (way === 'by its record' && (await hasHappened(txnId))) return { again: false, result }
      return { again: true, because: unavailable(error) }
    }
  }

  /**
   * Whether a change whose commit was cut off has happened. Inserting its own log key waits for the old transaction
   * as long as it is in progress; after that the key is either taken or free for ever.
   */
  async function hasHappened(txnId: string): Promise<boolean> {
    const deadline = performance.now() + resolveTime
    while (performance.now() < deadline) {
      try {
        return await probe(txnId)
      } catch {
        await pause(250)
      }
    }
    throw problem('outcomeUnknown', { txn: txnId })
  }

  async function probe(txnId: string): Promise<boolean> {
    const client = await pool.connect()
    let broken = true
    const ask = (sql: string, values: unknown[] = []) => client.query(asking(sql, values, resolveTime))
    try {
      await pool.begin(client, queueTime)
      const taken = await ask(probeSql, [txnId]).then(
        () => false,
        (error) => {
          if (codeOf(error) === '23505') return true
          throw error
        },
      )
      await ask('ROLLBACK')
      // A commit that was cut off while it waited for a standby can be seen here and may not be there. Whatever is
      // committed after it is confirmed only when both are.
      if (taken) await ask(confirmSql)
      broken = false
      return taken
    } finally {
      client.release(broken)
    }
  }

  return {
    dialect: postgresDialect,
    cache: new Cache(maxCacheBytes),
    queueTime,
    reads: guarded(over(pool, { mayPrepare })),
    heavyReads,
    async transact(txnId, work, options = {}) {
      for (let tries = 1; ; tries++) {
        const outcome = await attempt(txnId, work, options)
        if (!outcome.again) return outcome.result
        if (tries >= mostAttempts) throw unavailable(outcome.because)
        await pause(Math.random() * 5 * 2 ** tries)
      }
    },
    script: async (sql) => void (await pool.query({ text: sql })),
    ping: async () => {
      await pool.query({ text: 'SELECT 1' }).catch((error) => {
        throw unavailable(error)
      })
    },
    expectSound: () => expectSound(pool, address),
    load: () => ({
      pools: { main: pool.used, heavy: heavyPool.used },
      queues: { main: pool.waiting, heavy: heavyReads.waiting() },
    }),
    async sizeBytes() {
      const { rows } = await pool.query(asking('SELECT pg_database_size(current_database()) AS bytes'))
      return Number(rows[0]?.bytes)
    },
    lastBackup: () => lastBackupOn(over(pool, { mayPrepare })),
    close: async () => void (await Promise.all([pool.end(), heavyPool.end()])),
  }
}

const repeating: Resolve = () => 'by repeating'

type Outcome<T> = { again: false; result: T } | { again: true; because: unknown }

const probeSql = `INSERT INTO log (ticket, txn_id, ordinal, account, biz_id, object_id, inst_id, operation, description,
  operator, op_time, ext_key, request_id, content, events) VALUES (-1, $1, 0, '', 0, '', 0, 0, '', '', 0, '', '', '', '')`

const confirmSql = `UPDATE lease SET holder = holder WHERE name = 'log'`

/** A connection that cannot roll back is thrown away, and the server rolls back for it. */
async function rollBack(client: pg.PoolClient, because: unknown): Promise<void> {
  if (isSpent(because)) return client.release(true)
  await client.query(asking('ROLLBACK')).then(
    () => client.release(),
    () => client.release(true),
  )
}

const guarded = (connection: Connection): Connection => ({
  ...connection,
  isFar: true,
  query: async (sql, parameters) => {
    try {
      return await connection.query(sql, parameters)
    } catch (error) {
      throw unavailable(error)
    }
  },
})

function addressOf(url: string): DatabaseAddress {
  try {
    return readAddress(url)
  } catch (error) {
    throw new Refusal(`DATABASE_URL cannot be used: ${(error as Error).message}.`)
  }
}

async function reach(pool: DatabasePool, { label }: DatabaseAddress): Promise<void> {
  try {
    await pool.query({ text: 'SELECT 1' })
  } catch (error) {
    await pool.end()
    const why = error instanceof AggregateError ? error.errors[0]?.message : (error as Error).message
    throw new Refusal(`The database at ${label} does not answer: ${why}. Check DATABASE_URL.`)
  }
}
