import pg from 'pg'
import type { Step } from '../statements.ts'
import type { Loop } from './raw-statements.ts'
import { freshValues, type Row, valuesOf } from './values.ts'

const int8 = 20
pg.types.setTypeParser(int8, Number)

/** One connection per script, concurrently: a single one would mostly wait for the disk. */
export async function openPostgresLoops(url: string, scripts: readonly (readonly Step[])[]): Promise<Loop> {
  const loops = await Promise.all(
    scripts.map(async (steps) => {
      const client = new pg.Client(url)
      await client.connect()
      return loopOver(client, steps)
    }),
  )
  return async (deadline, done) => void (await Promise.all(loops.map((loop) => loop(deadline, done))))
}

function loopOver(client: pg.Client, steps: readonly Step[]): Loop {
  return async (deadline, done) => {
    for (let started = performance.now(); started < deadline; ) {
      const fresh = freshValues()
      const rows: (Row | undefined)[] = []
      await client.query('BEGIN')
      for (const [index, step] of steps.entries()) {
        const values = valuesOf(step, rows, fresh)
        const { rows: returned } = await client.query<Row>({ name: `step ${index}`, text: step.sql, values })
        rows.push(returned[0])
      }
      await client.query('COMMIT')
      const now = performance.now()
      done(now - started)
      started = now
    }
  }
}
