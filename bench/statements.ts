import { pino } from 'pino'
import { openService, type Service } from '../packages/server/src/service.ts'
import type { Connection } from '../packages/server/src/storage/connection.ts'
import { configOf, creation, type Store } from './store.ts'

/** A bound value: constant, new in each execution, or returned by an earlier statement. */
type Bound = { always: unknown } | { fresh: 'name' | 'transaction' | 'id' } | { step: number; column: string }

export interface Step {
  readonly sql: string
  readonly bound: readonly Bound[]
}

interface Call {
  sql: string
  parameters: readonly unknown[]
  row: Record<string, unknown>
}

interface Recording {
  readonly name: string
  readonly transaction: string
  /** The id of the set. On PostgreSQL it is drawn ahead, by another change. */
  readonly id: number
  readonly calls: readonly Call[]
}

/**
 * The SQL statements of create_set, one script per business. Recorded from real changes, so that the limit follows the code; two changes, because
 * values that differ between them have to differ in every execution.
 */
export async function recordCreates(store: Store, businesses: readonly number[]): Promise<Step[][]> {
  const service = await openService(configOf(store), pino({ level: 'silent' }))
  try {
    const scripts: Step[][] = []
    for (const business of businesses) {
      // The first change also reads the model, which is cached afterwards.
      await recordCreate(service, business, 'recording 0')
      const first = await recordCreate(service, business, 'recording 1')
      const second = await recordCreate(service, business, 'recording 2')
      scripts.push(stepsOf(first, second))
    }
    return scripts
  } finally {
    await service.close()
  }
}

/** Records the statements of the storage engine during one request. */
async function recordCreate({ app, storage: { engine } }: Service, business: number, name: string): Promise<Recording> {
  const recording = { name, transaction: '', calls: [] as Call[] }
  const { transact } = engine
  engine.transact = (transaction, work, options) =>
    transact(
      transaction,
      (connection) => {
        const calls: Call[] = []
        const query: Connection['query'] = async (sql, parameters) => {
          const done = await connection.query(sql, parameters)
          calls.push({ sql, parameters, row: (done.rows[0] ?? {}) as Record<string, unknown> })
          // Upkeep of the log, and deriving the past from it, use the same connection.
          if (sql.startsWith('insert into "node"') && parameters.includes(name)) {
            Object.assign(recording, { transaction, calls })
          }
          return done
        }
        return work({ ...connection, query })
      },
      options,
    )
  const { path, body } = creation(business, name)
  const answer = await app.inject({ method: 'POST', url: path, payload: body, headers: { host: '127.0.0.1' } })
  engine.transact = transact
  const { result, data } = answer.json()
  if (!result) throw new Error(`a set could not be created: ${answer.body}`)
  return { ...recording, id: data.bk_set_id }
}

function stepsOf(first: Recording, second: Recording): Step[] {
  const bindingOf = (one: unknown, other: unknown, at: number): Bound => {
    if (one === other) return { always: one }
    if (one === first.name && other === second.name) return { fresh: 'name' }
    if (one === first.transaction && other === second.transaction) return { fresh: 'transaction' }
    for (const [step, call] of first.calls.slice(0, at).entries()) {
      for (const [column, value] of Object.entries(call.row)) {
        if (value === one && second.calls[step]?.row[column] === other) return { step, column }
      }
    }
    if (one === first.id && other === second.id) return { fresh: 'id' }
    // The time and the audit's text: any value costs the same.
    return { always: one }
  }
  return first.calls.map((call, step) => {
    const twin = second.calls[step]
    if (twin?.sql !== call.sql) throw new Error(`two create_set do not say the same to the database: ${call.sql}`)
    return {
      sql: call.sql,
      bound: call.parameters.map((value, index) => bindingOf(value, twin.parameters[index], step)),
    }
  })
}
