import { setTimeout as pause } from 'node:timers/promises'
import { problem } from '@mainline/contract'
import type pg from 'pg'
import { LockTimeout } from '../change/lock-timeout.ts'
import type { Connection } from '../connection.ts'
import type { Engine, Resolve, TransactOptions } from '../engine.ts'
import { codeOf, isConnectionLost, isOutdatedStatement, isSpent, queryConfig, unavailable } from './connection.ts'
import { wasCommitted } from './interrupted-commit.ts'
import { transactionOn } from './pipeline.ts'
import type { DatabasePool } from './pool.ts'

const serialisationFailure = '40001'
const deadlock = '40P01'
const maxAttempts = 8

interface TransactParts {
  readonly pool: DatabasePool
  readonly mayPrepare: () => boolean
  readonly queueTimeMs: number
  /** Time limit of the statements of changes of many rows. */
  readonly heavyTimeoutMs: number
}

/** Runs transactions on connections of the pool, and repeats them after a deadlock, a serialisation failure or a lost connection. */
export function transactOn(parts: TransactParts): Engine['transact'] {
  return async (txnId, work, options = {}) => {
    for (let attempts = 1; ; attempts++) {
      const outcome = await attempt(parts, txnId, work, options)
      if (!outcome.again) return outcome.result
      if (attempts >= maxAttempts) throw unavailable(outcome.because)
      await pause(Math.random() * 5 * 2 ** attempts)
    }
  }
}

async function attempt<T>(
  { pool, mayPrepare, queueTimeMs, heavyTimeoutMs }: TransactParts,
  txnId: string,
  work: (connection: Connection) => Promise<T>,
  { bulk = false, resolve = repeating, lockWait = 'full', answered, transactionId }: TransactOptions,
): Promise<Outcome<T>> {
  const client = await pool.connect().catch((error) => {
    throw unavailable(error)
  })
  const transaction = transactionOn(client, { timeoutMs: bulk ? heavyTimeoutMs : undefined, mayPrepare })
  let result: T
  try {
    transaction.begin(pool.beginning(lockWait === 'brief' ? undefined : queueTimeMs))
    result = await work(transaction)
    if (transactionId?.() === undefined) await answered?.()
  } catch (error) {
    transaction.end(error)
    // A statement that was not waited for has failed before.
    const because = await failureOf(answered?.(), error)
    await rollBackOn(client, because)
    return undone(because, lockWait)
  }
  const [statements, commit] = await Promise.allSettled([answered?.(), transaction.commit()])
  transaction.end()
  if (commit.status === 'fulfilled' && commit.value === 'COMMIT' && statements.status === 'fulfilled') {
    client.release()
    return { again: false, result }
  }
  if (commit.status === 'fulfilled') {
    client.release()
    const failed = new Error('the transaction had failed before its commit')
    return undone(statements.status === 'rejected' ? statements.reason : failed, lockWait)
  }
  if (!isConnectionLost(commit.reason)) {
    await rollBackOn(client, commit.reason)
    return undone(statements.status === 'rejected' ? statements.reason : commit.reason, lockWait)
  }
  client.release(true)
  const way = resolve()
  if (way === 'not') throw problem('outcomeUnknown', { txn: txnId })
  if (way === 'by its record' && (await wasCommitted(pool, { txnId, transactionId: transactionId?.(), queueTimeMs })))
    return { again: false, result }
  return { again: true, because: unavailable(commit.reason) }
}

const repeating: Resolve = () => 'by repeating'

type Outcome<T> = { again: false; result: T } | { again: true; because: unknown }

/** Whether to run a transaction again that was rolled back; otherwise fails with its error. */
function undone(error: unknown, lockWait: TransactOptions['lockWait']): { again: true; because: unknown } {
  if ([serialisationFailure, deadlock].includes(codeOf(error)) || isOutdatedStatement(error)) {
    return { again: true, because: error }
  }
  if (lockWait === 'brief' && error instanceof LockTimeout) throw error
  throw unavailable(error)
}

const failureOf = (statements: Promise<unknown> | undefined, otherwise: unknown): Promise<unknown> =>
  Promise.resolve(statements).then(
    () => otherwise,
    (error) => error,
  )

/** A connection that fails to roll back is closed, and the server rolls back. */
async function rollBackOn(client: pg.PoolClient, because: unknown): Promise<void> {
  if (isSpent(because)) return client.release(true)
  await client.query(queryConfig('ROLLBACK')).then(
    () => client.release(),
    () => client.release(true),
  )
}
