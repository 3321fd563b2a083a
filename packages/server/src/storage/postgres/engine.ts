import { messageOf } from '../../common/error-code.ts'
import { Refusal } from '../../common/refusal.ts'
import { Cache } from '../cache.ts'
import { briefLockTimeoutMs } from '../change/lock-timeout.ts'
import type { Connection } from '../connection.ts'
import { postgresDialect } from '../dialect.ts'
import { type Engine, maxCacheBytes, maxLargeCacheBytes } from '../engine.ts'
import { fairReads } from '../fair-reads.ts'
import { lastBackupOn } from '../last-backup.ts'
import { type DatabaseAddress, readAddress } from './address.ts'
import { isOutdatedStatement, over, queryConfig, unavailable } from './connection.ts'
import { IdBlocks } from './id-blocks.ts'
import { DatabasePool } from './pool.ts'
import { expectSound } from './sound.ts'
import { transactOn } from './transact.ts'
import { whereaboutsOfPostgres } from './whereabouts.ts'

/** statement_timeout of statements that scan or change many rows. */
const heavyTimeoutMs = 60_000
/**
 * idle_in_transaction_session_timeout. A frozen process keeps its locks for this long, and a lock on the head of the log delays all
 * events.
 */
const idleTransactionTimeoutMs = 5_000

interface PostgresOptions {
  url: string
  connections: number
  /** Time limit of waiting for a connection or a lock. */
  queueTimeMs: number
}

/** The engine for PostgreSQL, which any number of processes may share. */
export async function openPostgresEngine({ url, connections, queueTimeMs }: PostgresOptions): Promise<Engine> {
  const address = addressOf(url)
  const settings = {
    lock_timeout: Math.min(briefLockTimeoutMs, queueTimeMs),
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    statement_timeout: 0,
  }
  const idBlocks = new IdBlocks()
  let lastServerStart: string | undefined
  const onServer = (serverStart: string) => {
    // A standby that was promoted, or a server that has gone back while it was stopped, may draw the same ids again.
    if (lastServerStart !== undefined && serverStart !== lastServerStart) idBlocks.drop()
    lastServerStart = serverStart
  }
  const pool = new DatabasePool({ address, connections, waitMs: queueTimeMs, settings, onServer })
  const heavyConnections = Math.max(2, Math.ceil(connections / 2))
  const heavyPool = new DatabasePool({
    address,
    connections: heavyConnections,
    waitMs: queueTimeMs,
    // No parallel plans: one search must not occupy several processors of the database.
    settings: { ...settings, statement_timeout: heavyTimeoutMs, max_parallel_workers_per_gather: 0 },
    cancelling: pool,
    onServer,
  })
  const mayPrepare = () => !pool.isPooled && !heavyPool.isPooled
  const heavyReads = fairReads(guarded(over(heavyPool, { timeoutMs: heavyTimeoutMs + 5_000, mayPrepare })), {
    maxConcurrentReads: heavyConnections,
    waitMs: queueTimeMs,
  })
  await reach(pool, address)

  return {
    dialect: postgresDialect,
    isShared: true,
    generation: () => undefined,
    cache: new Cache(maxCacheBytes, maxLargeCacheBytes),
    queueTimeMs,
    reads: guarded(over(pool, { mayPrepare })),
    idBlocks,
    heavyReads,
    transact: transactOn({ pool, mayPrepare, queueTimeMs, heavyTimeoutMs }),
    script: async (sql) => void (await pool.query({ text: sql })),
    async runAlone(sql) {
      const client = await pool.connect()
      try {
        // Behind a pooler no session settings are in effect.
        if (!pool.isPooled) await client.query(queryConfig('SET lock_timeout = 0'))
        await client.query({ text: sql })
      } finally {
        // Discarded together with its changed settings.
        client.release(true)
      }
    },
    ping: async () => {
      await pool.query({ text: 'SELECT 1' }).catch((error) => {
        throw unavailable(error)
      })
    },
    expectSound: () => expectSound(pool, address),
    whereabouts: whereaboutsOfPostgres,
    onConnect(look) {
      for (const each of [pool, heavyPool]) {
        each.look = (client) => look(over(client, { mayPrepare: () => false }))
      }
    },
    load: () => ({
      pools: { main: pool.used, heavy: heavyPool.used },
      queues: { main: pool.waiting, heavy: heavyReads.waiting() },
    }),
    async sizeBytes() {
      const { rows } = await pool.query(queryConfig('SELECT pg_database_size(current_database()) AS bytes'))
      return Number(rows[0]?.bytes)
    },
    lastBackup: () => lastBackupOn(over(pool, { mayPrepare })),
    close: async () => void (await Promise.all([pool.end(), heavyPool.end()])),
  }
}

const guarded = (connection: Connection): Connection => ({
  ...connection,
  isFar: true,
  query: async (sql, parameters, abandoned) => {
    try {
      return await connection.query(sql, parameters, abandoned)
    } catch (error) {
      if (isOutdatedStatement(error)) return connection.query(sql, parameters, abandoned)
      throw unavailable(error)
    }
  },
})

function addressOf(url: string): DatabaseAddress {
  try {
    return readAddress(url)
  } catch (error) {
    throw new Refusal(`DATABASE_URL cannot be used: ${messageOf(error)}.`)
  }
}

async function reach(pool: DatabasePool, { label }: DatabaseAddress): Promise<void> {
  try {
    await pool.query({ text: 'SELECT 1' })
  } catch (error) {
    await pool.end()
    const why = error instanceof AggregateError ? error.errors[0]?.message : messageOf(error)
    throw new Refusal(`The database at ${label} does not answer: ${why}. Check DATABASE_URL.`)
  }
}
