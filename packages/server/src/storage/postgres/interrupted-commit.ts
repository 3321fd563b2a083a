import { setTimeout as pause } from 'node:timers/promises'
import { problem } from '@mainline/contract'
import { codeOf, queryConfig } from './connection.ts'
import type { DatabasePool } from './pool.ts'

/** After this, the outcome of a commit whose connection was lost is reported as unknown. */
const resolveTimeoutMs = 10_000

interface InterruptedCommit {
  readonly txnId: string
  /** PostgreSQL's number of the transaction, if known. */
  readonly transactionId: string | undefined
  readonly queueTimeMs: number
}

/**
 * Whether a transaction whose commit was cut off has been committed. Its last statements may still be on their way, so first its end is
 * awaited; afterwards its log key exists, or never will. Without a number the key was inserted before the commit was sent, and
 * inserting it again waits while the old transaction is in progress.
 */
export async function wasCommitted(
  pool: DatabasePool,
  { txnId, transactionId, queueTimeMs }: InterruptedCommit,
): Promise<boolean> {
  const deadline = performance.now() + resolveTimeoutMs
  while (performance.now() < deadline) {
    try {
      if (transactionId === undefined || !(await isRunning(pool, transactionId)))
        return await hasLogKey(pool, txnId, queueTimeMs)
      await pause(20)
    } catch {
      await pause(250)
    }
  }
  throw problem('outcomeUnknown', { txn: txnId })
}

async function isRunning(pool: DatabasePool, transactionId: string): Promise<boolean> {
  try {
    const { rows } = await pool.query(queryConfig(statusSql, [transactionId], resolveTimeoutMs))
    return rows[0]?.status === 'in progress'
  } catch (error) {
    // The number is in the future: a standby that lacks the transaction has been promoted.
    if (codeOf(error) === '22023') return false
    throw error
  }
}

/** Whether the log has a record of the transaction. */
async function hasLogKey(pool: DatabasePool, txnId: string, queueTimeMs: number): Promise<boolean> {
  const client = await pool.connect()
  let broken = true
  const ask = (sql: string, values: unknown[] = []) => client.query(queryConfig(sql, values, resolveTimeoutMs))
  try {
    await pool.begin(client, queueTimeMs)
    const taken = await ask(probeSql, [txnId]).then(
      () => false,
      (error) => {
        if (codeOf(error) === '23505') return true
        throw error
      },
    )
    await ask('ROLLBACK')
    // With synchronous replication the old commit may be visible here but not on the standby yet. Committing something after
    // it waits until the standby has both.
    if (taken) await ask(confirmSql)
    broken = false
    return taken
  } finally {
    client.release(broken)
  }
}

const probeSql = `INSERT INTO log (ticket, txn_id, ordinal, account, biz_id, object_id, inst_id, operation, description,
  operator, op_time, ext_key, request_id, content, events) VALUES (-1, $1, 0, '', 0, '', 0, 0, '', '', 0, '', '', '', '')`

const statusSql = 'SELECT pg_xact_status($1::text::xid8) AS status'

const confirmSql = `UPDATE lease SET holder = holder WHERE name = 'log'`
