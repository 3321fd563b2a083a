import type { Compilable } from 'kysely'
import type { Dialect } from '../../../storage/index.ts'

/** A query that can be executed or explained. */
interface Explainable<Row> extends Compilable<Row> {
  execute(): Promise<Row[]>
  explain<Line extends Record<string, unknown>>(format?: undefined, options?: Dialect['explaining']): Promise<Line[]>
}

/** Runs a statement; may also record its plan. */
export type Explain = <Row>(what: string, query: Explainable<Row>) => Promise<Row[]>

export const plainly: Explain = (_what, query) => query.execute()

export interface Statement {
  readonly what: string
  readonly sql: string
  readonly plan: string[]
  readonly milliseconds: number
}

/** Runs statements sequentially, so that each is timed on its own, and records their plans. */
export function explaining(dialect: Dialect): { run: Explain; statements: Statement[] } {
  const statements: Statement[] = []
  let before: Promise<unknown> = Promise.resolve()
  const run: Explain = (what, query) => {
    const turn = before.then(async () => {
      const started = performance.now()
      const rows = await query.execute()
      const milliseconds = Math.round((performance.now() - started) * 1_000) / 1_000
      const lines = await query.explain(undefined, dialect.explaining)
      const plan = lines.map((line) => String(line.detail ?? line['QUERY PLAN']))
      statements.push({ what, sql: query.compile().sql, plan, milliseconds })
      return rows
    })
    before = turn.catch(() => {})
    return turn
  }
  return { run, statements }
}
