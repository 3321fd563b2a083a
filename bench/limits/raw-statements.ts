// The statements of a change with one durable commit each, in a loop: the limit of the database.
import { once } from 'node:events'
import { createHistogram } from 'node:perf_hooks'
import type { Sample } from '../load.ts'
import type { Step } from '../statements.ts'
import type { Store } from '../store.ts'
import { openPostgresLoops } from './raw-postgres.ts'
import { openSqliteLoop } from './raw-sqlite.ts'

export interface RawTask {
  readonly store: Pick<Store, 'engine' | 'dataDir' | 'databaseUrl'>
  /** SQLite runs one loop, PostgreSQL one per script concurrently. */
  readonly scripts: readonly (readonly Step[])[]
}

/** Runs changes until the deadline and returns the duration of each, in milliseconds. */
export type Loop = (deadline: number, done: (took: number) => void) => Promise<void>

const [{ store, scripts }] = (await once(process, 'message')) as [RawTask]
process.on('disconnect', () => process.exit())

const loop: Loop =
  store.engine === 'sqlite'
    ? openSqliteLoop(store.dataDir, scripts[0] ?? [])
    : await openPostgresLoops(store.databaseUrl, scripts)

process.on('message', async ({ milliseconds }: { milliseconds: number }) => {
  const times = createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 })
  await loop(performance.now() + milliseconds, (took) => times.record(Math.max(1, Math.round(took * 1000))))
  process.send?.({
    perSecond: times.count / (milliseconds / 1000),
    p50: times.percentile(50),
    p99: times.percentile(99),
  } satisfies Sample)
})
process.send?.('ready')
