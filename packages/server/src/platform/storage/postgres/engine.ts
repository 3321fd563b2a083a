import { setTimeout as pause } from 'node:timers/promises'
import { problem, rule } from '@mainline/contract'
import pg from 'pg'
import { Refusal } from '../../refusal.ts'
import type { Connection } from '../connection.ts'
import { postgresDialect } from '../dialect.ts'
import { type Engine, keptInMemo } from '../engine.ts'
import { Memo } from '../memo.ts'
import { codeOf, isBusy, isConnectionLost, over, types } from './connection.ts'

const serialisationFailure = '40001'
const deadlock = '40P01'
const mostAttempts = 8
/** How long a cut-off commit is looked for before its outcome is called unknown, in milliseconds. */
const resolveTime = 10_000

export interface PostgresOptions {
  url: string
  connections: number
  /** How long a connection or a lock is waited for, in milliseconds. */
  queueTime: number
}

/** PostgreSQL, shared by any number of processes. */
export async function openPostgresEngine({ url, connections, queueTime }: PostgresOptions): Promise<Engine> {
  const open = (max: number, statementTimeout: number) => {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      types,
      keepAlive: true,
      connectionTimeoutMillis: queueTime,
      idleTimeoutMillis: 60_000,
      application_name: 'mainline',
      lock_timeout: queueTime,
      idle_in_transaction_session_timeout: 30_000,
      statement_timeout: statementTimeout,
    })
    // A connection that breaks is replaced by the pool, and whoever was using it is told by its query. Unheard, the event
    // would end the process.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }
  const pool = open(connections, 0)
  const heavyPool = open(Math.max(2, Math.ceil(connections / 2)), 60_000)
  await reach(pool, url)

  async function attempt<T>(txnId: string, work: (connection: Connection) => Promise<T>): Promise<Outcome<T>> {
    const client = await pool.connect().catch((error) => {
      throw unavailable(error)
    })
    let result: T
    try {
      await client.query('BEGIN')
      result = await work(over(client))
    } catch (error) {
      // A connection that cannot roll back is thrown away, and the server rolls back for it.
      await client.query('ROLLBACK').then(
        () => client.release(),
        () => client.release(true),
      )
      if ([serialisationFailure, deadlock].includes(codeOf(error))) return { again: true, because: error }
      throw unavailable(error)
    }
    try {
      const { command } = await client.query('COMMIT')
      client.release()
      if (command !== 'COMMIT') throw new Error('the transaction had failed before its commit')
      return { again: false, result }
    } catch (error) {
      client.release(true)
      if (codeOf(error) === serialisationFailure) return { again: true, because: error }
      if (!isConnectionLost(error)) throw error
      return (await hasHappened(txnId)) ? { again: false, result } : { again: true, because: error }
    }
  }

  /**
   * Whether a change whose commit was cut off has happened. Inserting its own log key waits for the old transaction
   * as long as it is in progress; after that the key is either taken or free for ever.
   */
  async function hasHappened(txnId: string): Promise<boolean> {
    const deadline = Date.now() + resolveTime
    while (Date.now() < deadline) {
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
    try {
      await client.query('BEGIN')
      const taken = await client.query(probeSql, [txnId]).then(
        () => false,
        (error) => {
          if (codeOf(error) === '23505') return true
          throw error
        },
      )
      await client.query('ROLLBACK')
      broken = false
      return taken
    } finally {
      client.release(broken)
    }
  }

  return {
    dialect: postgresDialect,
    memo: new Memo(keptInMemo),
    reads: guarded(over(pool)),
    heavyReads: guarded(over(heavyPool)),
    async transact(txnId, work) {
      for (let tries = 1; ; tries++) {
        const outcome = await attempt(txnId, work)
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

type Outcome<T> = { again: false; result: T } | { again: true; because: unknown }

const probeSql = `INSERT INTO log (ticket, txn_id, ordinal, account, biz_id, object_id, inst_id, operation, description,
  operator, op_time, ext_key, request_id, content, events) VALUES (-1, $1, 0, '', 0, '', 0, 0, '', '', 0, '', '', '', '')`

function unavailable(error: unknown): unknown {
  if (isConnectionLost(error)) return problem('notReady')
  return isBusy(error) ? problem('notReady', { rule: rule('waitedTooLong') }) : error
}

const guarded = (connection: Connection): Connection => ({
  ...connection,
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
