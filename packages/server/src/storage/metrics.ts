import { Counter, Gauge, type Registry } from 'prom-client'
import type { Engine } from './engine.ts'
import type { CommittedReader } from './handles.ts'
import { readResets } from './history/reset.ts'
import type { SealingTrouble } from './log/keeper.ts'
import { logState } from './log/state.ts'

/** Minimum interval between size queries: PostgreSQL stats every file of the database for one. */
const sizeEveryMs = 15_000

/** The parts of the storage that are measured. */
interface MeasuredStorage {
  readonly engine: Engine
  readonly read: CommittedReader
  readonly seals: { readonly isWitnessed: boolean; troubles(): readonly SealingTrouble[] }
  outage(): object | undefined
}

/** Storage metrics. A value that cannot be read keeps its last reading, and `mainline_storage_up` is 0. */
export function measureStorage(registry: Registry, storage: MeasuredStorage): void {
  const gauge: AddGauge = (name, help, read) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      // All processes on one database read the same value.
      aggregator: 'max',
      async collect() {
        const value = await read().catch(() => undefined)
        if (value !== undefined) this.set(value)
      },
    })
  measureEngine(registry, storage, gauge)
  measureLog(registry, storage, gauge)
}

type AddGauge = (name: string, help: string, read: () => Promise<number | undefined>) => void

function measureEngine(registry: Registry, { engine, outage }: MeasuredStorage, gauge: AddGauge): void {
  new Gauge({
    name: 'mainline_storage_up',
    help: '1 while the storage can be read and written, 0 during an outage.',
    registers: [registry],
    aggregator: 'min',
    collect() {
      this.set(outage() ? 0 : 1)
    },
  })
  gauge('mainline_storage_size_bytes', 'Size of the database on disk.', atMostEvery(sizeEveryMs, engine.sizeBytes))
  const { freeBytes } = engine
  if (freeBytes) gauge('mainline_storage_free_bytes', 'Free space on the disk of the embedded storage.', freeBytes)
  new Gauge({
    name: 'mainline_storage_connections',
    help: 'Connections to PostgreSQL, or reader threads of embedded storage, by whether they are in use.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { inUse, idle }] of Object.entries(engine.load().pools)) {
        this.set({ pool, state: 'in_use' }, inUse)
        this.set({ pool, state: 'idle' }, idle)
      }
    },
  })
  new Gauge({
    name: 'mainline_storage_queue_length',
    help: 'Reads and writes waiting for a connection, a reader thread or the write lock.',
    labelNames: ['queue'],
    registers: [registry],
    collect() {
      for (const [queue, length] of Object.entries(engine.load().queues)) this.set({ queue }, length)
    },
  })
  gauge(
    'mainline_backup_last_success_timestamp_seconds',
    "When 'mainline backup' last finished and verified a backup of this storage; 0 when it never has.",
    async () => ((await engine.lastBackup()) ?? 0) / 1_000,
  )
}

function measureLog(registry: Registry, { read, seals }: MeasuredStorage, gauge: AddGauge): void {
  gauge(
    'mainline_history_last_reset_timestamp_seconds',
    'Time of the last recorded history reset: the database was, or may have been, restored to an earlier state; 0 when there was none.',
    async () => {
      const last = (await readResets(read)).findLast(({ cause }) => cause !== 'begun')
      return (last?.time ?? 0) / 1_000
    },
  )

  const state = atMostEvery(1_000, () => logState(read))
  const ageOf = (time: number | undefined) => (time === undefined ? 0 : Math.max(0, Date.now() - time) / 1_000)
  gauge('mainline_log_position', 'Last position of the log.', async () => (await state()).position)
  gauge(
    'mainline_log_unnumbered_age_seconds',
    'Age of the oldest committed record that has no log position yet, so that its events are pending; 0 when there is none.',
    async () => ageOf((await state()).oldestUnnumbered),
  )
  gauge(
    'mainline_log_unsealed_age_seconds',
    'Age of the oldest record of the log that is not sealed yet; 0 when all are. Segments are sealed after a minute.',
    async () => ageOf((await state()).oldestUnsealed),
  )
  gauge(
    'mainline_log_unwitnessed_age_seconds',
    'Age of the oldest seal that the witness does not have yet; 0 when it has all, or there is none.',
    async () => (seals.isWitnessed ? ageOf((await state()).oldestUnwitnessed) : 0),
  )
  new Counter({
    name: 'mainline_seal_failures_total',
    help: 'Failed tries to seal records of the log (signing included), and to send seals to the witness.',
    labelNames: ['step'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { step, failures } of seals.troubles()) this.inc({ step }, failures)
    },
  })
}

/** Repeats the query only after `pauseMs`; until then callers get the previous result. */
function atMostEvery<T>(pauseMs: number, ask: () => Promise<T>): () => Promise<T> {
  let askedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<T> | undefined
  return () => {
    if (answer && performance.now() - askedAt < pauseMs) return answer
    askedAt = performance.now()
    const fresh = ask()
    answer = fresh
    fresh.catch(() => {
      if (answer === fresh) answer = undefined
    })
    return fresh
  }
}
