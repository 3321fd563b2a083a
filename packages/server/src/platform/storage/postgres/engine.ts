import { setTimeout as pause } from 'node:timers/promises'
import { problem } from '@mainline/contract'
import pg from 'pg'
import { Refusal } from '../../refusal.ts'
import type { Connection } from '../connection.ts'
import { postgresDialect } from '../dialect.ts'
import { type Engine, keptInMemo, type Resolve, type TransactOptions } from '../engine.ts'
import { Memo } from '../memo.ts'
import { asking, codeOf, isConnectionLost, isSpent, over, types, unavailable } from './connection.ts'

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

export interface PostgresOptions {
  url: string
  connections: number
  /** How long a connection or a lock is waited for, in milliseconds. */
  queueTime: number
}

/**
 * One search takes one processor of the database's, not three: whoever asks little must get a turn beside it. Engines that do not
 * know the setting have no such workers.
 */
const takeOneProcessor = (client: pg.ClientBase): Promise<unknown> =>
  client.query(asking('SET max_parallel_workers_per_gather = 0')).catch(() => {})

/** PostgreSQL, shared by any number of processes. */
export async function openPostgresEngine({ url, connections, queueTime }: PostgresOptions): Promise<Engine> {
  const open = (max: number, statementTimeout: number, onConnect: (client: pg.ClientBase) => void = () => {}) => {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      types,
      keepAlive: true,
      connectionTimeoutMillis: queueTime,
      idleTimeoutMillis: 60_000,
      application_name: 'mainline',
      lock_timeout: queueTime,
      idle_in_transaction_session_timeout: longestIdle,
      statement_timeout: statementTimeout,
      onConnect,
    })
    // A connection that breaks is replaced by the pool, and whoever was using it is told by its query. Unheard, the event
    // would end the process.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }
  const pool = open(connections, 0)
  const heavyPool = open(Math.max(2, Math.ceil(connections / 2)), longestWork, takeOneProcessor)
  await reach(pool, url)

  async function attempt<T>(
    txnId: string,
    work: (connection: Connection) => Promise<T>,
    { bulk = false, resolve = repeating }: TransactOptions,
  ): Promise<Outcome<T>> {
    const client = await pool.connect().catch((error) => {
      throw unavailable(error)
    })
    let result: T
    try {
      await client.query(asking('BEGIN'))
      result = await work(over(client, bulk ? longestWork : undefined))
    } catch (error) {
      await rollBack(client, error)
      if ([serialisationFailure, deadlock].includes(codeOf(error))) return { again: true, because: error }
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
      await ask('BEGIN')
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
    memo: new Memo(keptInMemo),
    queueTime,
    reads: guarded(over(pool)),
    heavyReads: guarded(over(heavyPool, longestWork + 5_000)),
    async transact(txnId, work, options = {}) {
      for (let tries = 1; ; tries++) {
        const outcome = await attempt(txnId, work, options)
        if (!outcome.again) return outcome.result
        if (tries >= mostAttempts) throw outcome.because
        await pause(Math.random() * 5 * 2 ** tries)
      }
    },
    script: async (sql) => void (await pool.query(sql)),
    ping: async () => void (await pool.query('SELECT 1')),
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

async function reach(pool: pg.Pool, url: string): Promise<void> {
  try {
    await pool.query('SELECT 1')
  } catch (error) {
    await pool.end()
    const why = error instanceof AggregateError ? error.errors[0]?.message : (error as Error).message
    throw new Refusal(`The database at ${withoutPassword(url)} does not answer: ${why}. Check DATABASE_URL.`)
  }
}

function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url)
    if (parsed.password) parsed.password = '***'
    return parsed.href
  } catch {
    return 'DATABASE_URL'
  }
}
