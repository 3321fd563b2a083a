import type pg from 'pg'
import type { Connection } from '../connection.ts'
import { type Answer, Batch, inText, type Statement } from './batch.ts'
import { answerTimeoutMs, codeOf, noteOutdated, postgresError, statementName, types } from './connection.ts'

/** A transaction on its own connection. */
interface Transaction extends Connection {
  /** Sends the statements that start it together with its first one, whose failure includes theirs. */
  begin(statements: readonly string[]): void
  /** The command that PostgreSQL has executed: ROLLBACK if the transaction had failed. Sent together with unanswered statements. */
  commit(): Promise<string>
  /** Sends no further statements. Unsent ones are rejected with the reason. */
  end(because?: unknown): void
}

interface TransactionOptions {
  readonly timeoutMs?: number | undefined
  readonly mayPrepare: () => boolean
}

const failedTransaction = '25P02'

/**
 * Statements sent before the event loop waits share a round trip (see `Batch`). After a failed statement the others of its batch are skipped, and the
 * transaction accepts no more; all of them are rejected with the first failure.
 */
export function transactionOn(
  client: pg.ClientBase,
  { timeoutMs = answerTimeoutMs, mayPrepare }: TransactionOptions,
): Transaction {
  let unsent: Statement[] = []
  let isWaiting = false
  let hasEnded = false
  let failure: unknown

  const send = () => {
    if (isWaiting || unsent.length === 0) return
    isWaiting = true
    const batch = new Batch(unsent, types, timeoutMs)
    unsent = []
    batch.callback = () => {
      isWaiting = false
      send()
    }
    client.query(batch)
  }
  const ask = (sql: string, parameters: readonly (string | null)[], name?: string): Promise<Answer> => {
    if (hasEnded) return Promise.reject(new Error('the transaction has ended'))
    const answer = Promise.withResolvers<Answer>()
    unsent.push({ sql, parameters, name, answer })
    if (unsent.length === 1) process.nextTick(send)
    return answer.promise
  }
  return {
    async query(sql, parameters) {
      const name = mayPrepare() ? statementName(sql) : undefined
      try {
        // Other names than those of statements outside of transactions, which pg prepares itself on the same connections.
        const done = await ask(sql, parameters.map(inText), name && `t${name}`)
        failure = undefined
        return done
      } catch (error) {
        noteOutdated(error, sql, name)
        failure ??= postgresError(error)
        throw codeOf(error) === failedTransaction ? failure : postgresError(error)
      }
    },
    async script(sql) {
      send()
      await client.query({ text: sql })
      failure = undefined
    },
    begin(statements) {
      for (const sql of statements) ask(sql, []).catch(() => {})
    },
    commit: async () => (await ask('COMMIT', [])).command,
    end(because = new Error('the transaction has ended')) {
      hasEnded = true
      for (const { answer } of unsent.splice(0)) answer.reject(because)
    },
  }
}
