import { Gauge, type Registry } from 'prom-client'
import type { Storage } from './index.ts'
import { logState } from './log/state.ts'

/** Sizes are asked for at most so often: PostgreSQL looks at every file of the database for it. */
const sizeEveryMs = 15_000

/** What Prometheus learns about the storage. A value that cannot be read now stays what it was; `mainline_storage_up` says so. */
export function measureStorage(registry: Registry, storage: Storage): void {
  const { engine } = storage
  const gauge = (name: string, help: string, read: () => Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      // Several processes on one database see the same.
      aggregator: 'max',
      async collect() {
        const value = await read().catch(() => undefined)
        if (value !== undefined) this.set(value)
      },
    })

  new Gauge({
    name: 'mainline_storage_up',
    help: '1 while the storage can be read and written, 0 during an outage.',
    registers: [registry],
    aggregator: 'min',
    collect() {
      this.set(storage.outage() ? 0 : 1)
    },
  })
  gauge('mainline_storage_size_bytes', 'Size of the database on disk.', atMostEvery(sizeEveryMs, engine.sizeBytes))
  const { freeBytes } = engine
  if (freeBytes) gauge('mainline_storage_free_bytes', 'Room left on the disk of embedded storage.', freeBytes)
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
    help: 'Changes and reads that wait for a connection, a reader thread or their turn to write.',
    labelNames: ['queue'],
    registers: [registry],
    collect() {
      for (const [queue, length] of Object.entries(engine.load().queues)) this.set({ queue }, length)
    },
  })

  const state = atMostEvery(1_000, () => logState(storage.read))
  const ageOf = (time: number | undefined) => (time === undefined ? 0 : Math.max(0, Date.now() - time) / 1_000)
  gauge('mainline_log_position', 'Last position of the log.', async () => (await state()).position)
  gauge(
    'mainline_log_unnumbered_age_seconds',
    'Age of the oldest committed record that has no position yet and so is in no event; 0 when there is none.',
    async () => ageOf((await state()).oldestUnnumbered),
  )
  gauge(
    'mainline_log_unsealed_age_seconds',
    'Age of the oldest record of the log that is not sealed yet; 0 when all are. Segments are sealed after a minute.',
    async () => ageOf((await state()).oldestUnsealed),
  )
  gauge(
    'mainline_backup_last_success_timestamp_seconds',
    "When 'mainline backup' last finished and verified a backup of this storage; 0 when it never has.",
    async () => ((await engine.lastBackup()) ?? 0) / 1_000,
  )
}

/** Asks again only after a while; callers that ask earlier get the same answer. */
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
