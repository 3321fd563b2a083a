// The executed statements and their plans.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Connection } from '../../storage/connection.ts'
import type { Engine } from '../../storage/engine.ts'
import type { Storage } from '../../storage/index.ts'

export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

const listening = new AsyncLocalStorage<Statement[]>()
const heard = new WeakSet<Engine>()

/** The statements executed during the work, in order. Called directly, not over HTTP, to exclude statements of other requests. */
export async function statementsOf(
  { engine }: Pick<Storage, 'engine'>,
  work: () => Promise<unknown>,
): Promise<Statement[]> {
  if (!heard.has(engine)) listen(engine)
  heard.add(engine)
  const asked: Statement[] = []
  await listening.run(asked, work)
  return asked
}

function listen(engine: Engine): void {
  const { reads, heavyReads, transact } = engine
  for (const connection of [reads, heavyReads]) {
    const { query } = connection
    connection.query = (sql, parameters) => {
      listening.getStore()?.push({ sql, parameters })
      return query(sql, parameters)
    }
  }
  engine.transact = (id, work, options) => {
    const asked = listening.getStore()
    const overheard = (connection: Connection): Connection => ({
      ...connection,
      query: (sql, parameters) => {
        asked?.push({ sql, parameters })
        return connection.query(sql, parameters)
      },
    })
    return transact(id, (connection) => work(asked ? overheard(connection) : connection), options)
  }
}

/** The engine's query plan, a line per step. */
export async function planOf({ engine }: Storage, { sql, parameters }: Statement): Promise<string> {
  const explain = engine.dialect.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'
  const { rows } = await engine.reads.query(`${explain} ${sql}`, parameters)
  return (rows as Record<string, unknown>[]).map((row) => row.detail ?? row['QUERY PLAN']).join('\n')
}
