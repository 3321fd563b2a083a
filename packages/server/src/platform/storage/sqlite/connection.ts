import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { problem, rule } from '@mainline/contract'
import type { Connection, Rows } from '../connection.ts'
import { Violation } from '../violation.ts'

/** Statements kept prepared; the oldest goes first. Conditions compile to a bounded number of shapes in practice. */
const keptStatements = 500
/** A statement on the event loop may not take longer: longer ones belong to a thread. */
export const eventLoopBudget = 50

export interface SqliteConnection extends Connection {
  query(sql: string, parameters: readonly unknown[]): Rows
  script(sql: string): void
  /** False after a failure that ended the transaction by itself, as a full disk does. */
  inTransaction(): boolean
  close(): void
  /** The longest a statement has taken, in milliseconds, and which. */
  readonly longest: { milliseconds: number; sql: string }
}

/** A connection in this thread: each statement runs to its end before anything else does. */
export function openSqlite(path: string, mode: 'read' | 'write'): SqliteConnection {
  const database = new DatabaseSync(path, { readOnly: mode === 'read', timeout: 5000 })
  database.exec('PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000')
  if (mode === 'write') database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')

  const statements = new Map<string, { statement: StatementSync; returns: boolean }>()
  const prepare = (text: string) => {
    const known = statements.get(text)
    if (known) return known
    const statement = database.prepare(text)
    const prepared = { statement, returns: statement.columns().length > 0 }
    statements.set(text, prepared)
    if (statements.size > keptStatements) statements.delete(statements.keys().next().value as string)
    return prepared
  }

  const longest = { milliseconds: 0, sql: '' }
  return {
    longest,
    query(text, parameters) {
      const started = performance.now()
      try {
        const { statement, returns } = prepare(text)
        const values = parameters as SQLInputValue[]
        if (returns) {
          const rows = statement.all(...values)
          return { rows, affected: rows.length }
        }
        return { rows: [], affected: Number(statement.run(...values).changes) }
      } catch (error) {
        throw translated(error)
      } finally {
        const took = performance.now() - started
        if (took > longest.milliseconds) Object.assign(longest, { milliseconds: took, sql: text })
      }
    },
    script: (text) => database.exec(text),
    inTransaction: () => database.isTransaction,
    close: () => database.close(),
  }
}

/** SQLite names an index only by its columns; the names are those of the migrations. */
const constraints: Record<string, string> = {
  'account.name': 'account_pkey',
  'classification.account, classification.classification_id': 'classification_key',
  'classification.account, classification.name': 'classification_name',
  'object.account, object.object_id': 'object_key',
  'object.account, object.name': 'object_name',
  'object.account, object.above': 'object_above',
  'attribute_group.account, attribute_group.object_id, attribute_group.group_id': 'attribute_group_key',
  'attribute.account, attribute.object_id, attribute.attribute_id': 'attribute_key',
  'node.parent, node.object_id, node.name_key': 'node_sibling_name',
  'node.account, node.object_id, node.name_key': 'node_account_name',
  'business.account, business.living_name': 'business_living_name',
  'host_ip.ip, host_ip.cloud': 'host_ip_key',
  'custom_query.business, custom_query.name': 'custom_query_name',
  'favourite.account, favourite.owner, favourite.name': 'favourite_name',
  'user_group.account, user_group.name': 'user_group_name',
  'subscription.account, subscription.name': 'subscription_name',
  'log.txn_id, log.ordinal': 'log_txn',
  'migration.number': 'migration_pkey',
}

export function translated(error: unknown): unknown {
  const message = error instanceof Error ? error.message : ''
  const unique = /^UNIQUE constraint failed: (.+)$/.exec(message)
  if (unique?.[1]) return new Violation('unique', constraints[unique[1]] ?? unique[1], error)
  if (message === 'FOREIGN KEY constraint failed') return new Violation('foreign', undefined, error)
  const disk = diskRules[message]
  // Told and not only logged: whoever asked can come again. The cause crosses from a thread by its text.
  if (disk) return Object.assign(problem('notReady', { rule: rule(disk) }), { cause: error })
  return error
}

const diskRules: Record<string, 'diskFull' | 'diskFailing'> = {
  'database or disk is full': 'diskFull',
  'disk I/O error': 'diskFailing',
  'attempt to write a readonly database': 'diskFailing',
}

/** A commit that failed like this may be found on the disk after all when it is next read from there. */
export const mayBeOnDisk = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === 'disk I/O error'
