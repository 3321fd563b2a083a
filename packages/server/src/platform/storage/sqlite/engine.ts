import { stat, statfs } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { problem, rule } from '@mainline/contract'
import type { Refusal } from '../../refusal.ts'
import { Cache } from '../cache.ts'
import type { Connection } from '../connection.ts'
import { sqliteDialect } from '../dialect.ts'
import { type Engine, maxCacheBytes } from '../engine.ts'
import { lastBackupIn } from '../last-backup.ts'
import { checkInBackground } from './check.ts'
import { mayBeOnDisk, openSqlite } from './connection.ts'
import { lockDirectory } from './lock.ts'
import { databaseIn, openToWrite } from './opening.ts'
import { openSafety } from './safety.ts'
import { openReaders, openThread, type ThreadConnection } from './threads.ts'
import { openedFile, openWitness } from './witness.ts'

/** How long a group may gather changes on the event loop before it commits, in milliseconds. */
const groupTime = 10

/** How often changes that wait behind a bulk change are looked through for those that have waited too long, in milliseconds. */
const sweep = 100

/** How soon an idle server notices that another program has written to the file, or replaced it. */
const watchPauseMs = 1_000

interface Waiting {
  txnId: string
  run(connection: Connection): Promise<unknown>
  bulk: boolean
  /** Told to come back when its turn has not come by then. */
  until: number
  done: PromiseWithResolvers<unknown>
}

/** Embedded storage in a directory, for one process. `onUnsafe` is called when the file must not be written any more. */
export function openSqliteEngine(
  directory: string,
  queueTime: number,
  onUnsafe: (why: Refusal) => void = () => {},
): Engine {
  const lock = lockDirectory(directory)
  /** Raised before anybody hears of the commit. */
  let generation = 0
  let isOpen = false
  const path = databaseIn(directory)
  const safety = openSafety(path, (why) => {
    // Memory is not believed any more: it may not hold what another program has written.
    generation++
    // Until it is open, the refusal is thrown.
    if (isOpen) onUnsafe(why)
  })
  const { writer, isChecked } = openToWriteOrRelease()
  const reader = openSqlite(path, 'read', safety.damaged)
  const readers = openReaders(path, Math.max(1, availableParallelism() - 1), queueTime, safety.damaged)
  const checking = isChecked ? undefined : checkInBackground(path, safety.damaged)
  const witness = openWitness(writer)
  const file = openedFile(path)
  const watching = setInterval(watch, watchPauseMs).unref()
  isOpen = true
  let bulkWriter: ThreadConnection | undefined
  const queue: Waiting[] = []
  let draining: Promise<void> | undefined
  let closed = false
  function openToWriteOrRelease() {
    try {
      return openToWrite(path, safety.damaged)
    } catch (error) {
      lock.release()
      throw error
    }
  }

  /** Once the write lock is held: no other process can commit until it is released. */
  function ensureAlone(): void {
    if (witness.sawOther()) safety.writtenByOther()
    safety.ensure()
  }

  async function watch(): Promise<void> {
    try {
      // While changes run, each of their transactions looks.
      if (!draining && witness.sawOther()) safety.writtenByOther()
    } catch {
      // Damage has been reported by the connection.
    }
    if (!(await file.isInPlace()) && !closed) safety.replaced()
  }

  /** Changes run one after another, each in a savepoint, and share one durable commit. */
  async function runGroup(): Promise<void> {
    const finished: { waiting: Waiting; result: unknown }[] = []
    const started = performance.now()
    let stage: 'begin' | 'run' | 'commit' = 'begin'
    try {
      writer.query('BEGIN IMMEDIATE', [])
      stage = 'run'
      ensureAlone()
      for (let waiting = queue[0]; waiting && !waiting.bulk; waiting = queue[0]) {
        queue.shift()
        try {
          writer.query('SAVEPOINT change', [])
          finished.push({ waiting, result: await waiting.run(writer) })
        } catch (error) {
          waiting.done.reject(error)
          // A broken rule undoes this change alone. A full disk has ended the transaction, and with it the whole group.
          if (!writer.inTransaction()) throw error
          writer.query('ROLLBACK TO change', [])
        }
        writer.query('RELEASE change', [])
        if (performance.now() - started > groupTime) break
      }
      safety.ensure()
      stage = 'commit'
      writer.query('COMMIT', [])
      generation++
      for (const { waiting, result } of finished) waiting.done.resolve(result)
    } catch (error) {
      if (stage === 'begin') queue.shift()?.done.reject(error)
      for (const { waiting } of finished) waiting.done.reject(stage === 'commit' ? afterCommit(error, waiting) : error)
      rollBack()
      if (stage !== 'begin') lookAnew()
    }
  }

  function lookAnew(): void {
    try {
      witness.lookAnew()
    } catch {
      // Damage has been reported by the connection.
    }
  }

  /** A change that has begun is never given up; one that has not can be sent again. */
  function shedLate(): void {
    const now = performance.now()
    const late = queue.filter(({ until }) => until < now)
    for (const waiting of late) {
      queue.splice(queue.indexOf(waiting), 1)
      waiting.done.reject(problem('notReady', { rule: rule('waitedTooLong') }))
    }
  }

  /** One that fails is tried again by the next: BEGIN does not work inside a transaction, and says so. */
  function rollBack(): void {
    try {
      if (writer.inTransaction()) writer.query('ROLLBACK', [])
    } catch {}
  }

  async function runBulk(waiting: Waiting): Promise<void> {
    let isCommitting = false
    // Nothing else holds up the queue for long.
    const sweeping = setInterval(shedLate, sweep)
    try {
      if (!bulkWriter || bulkWriter.ended) bulkWriter = openThread(path, 'write', safety.damaged)
      const connection = bulkWriter
      await connection.script('BEGIN IMMEDIATE')
      try {
        ensureAlone()
        const turn = await witness.beginBulk(connection)
        const result = await waiting.run(connection)
        safety.ensure()
        isCommitting = true
        await connection.script('COMMIT')
        generation++
        waiting.done.resolve(result)
        if (!(await turn.endedAlone())) safety.writtenByOther()
      } catch (error) {
        // After a full disk, or when the thread has ended, there is no transaction left, and nothing to be told of that.
        await connection.script('ROLLBACK').catch(() => {})
        throw error
      }
    } catch (error) {
      if (isCommitting) lookAnew()
      if (isCommitting && bulkWriter?.ended) {
        // It may have been done: what was read before is not believed any more.
        generation++
        waiting.done.reject(unknown(waiting))
      } else waiting.done.reject(isCommitting ? afterCommit(error, waiting) : error)
    } finally {
      clearInterval(sweeping)
    }
  }

  async function drain(): Promise<void> {
    // One turn of the event loop, so that all requests that have arrived join the first group.
    await nextTurn()
    while (queue.length > 0) {
      const unsafe = safety.problem()
      if (unsafe) {
        for (const { done } of queue.splice(0)) done.reject(unsafe)
        break
      }
      if (queue[0]?.bulk) await runBulk(queue.shift() as Waiting)
      else await runGroup()
      if (queue.length > 0) await nextTurn()
    }
    draining = undefined
  }

  return {
    dialect: sqliteDialect,
    cache: new Cache(maxCacheBytes),
    queueTime,
    reads: reader,
    heavyReads: readers,
    transact<T>(
      txnId: string,
      work: (connection: Connection) => Promise<T>,
      { bulk = false, sheds = false } = {},
    ): Promise<T> {
      if (closed) return Promise.reject(new Error('the storage is closed'))
      const unsafe = safety.problem()
      if (unsafe) return Promise.reject(unsafe)
      const done = Promise.withResolvers<unknown>()
      queue.push({ txnId, run: work, bulk, done, until: sheds ? performance.now() + queueTime : Infinity })
      draining ??= drain()
      return done.promise as Promise<T>
    },
    generation: () => generation,
    script: async (sql) => {
      writer.script(sql)
      generation++
    },
    async ping() {
      safety.ensure()
      reader.query('SELECT 1', [])
    },
    load: () => ({
      pools: { reader_threads: readers.threads() },
      queues: { changes: queue.length, reads: readers.waiting() },
    }),
    async sizeBytes() {
      const files = [path, `${path}-wal`].map((file) => stat(file).catch(() => ({ size: 0 })))
      return (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0)
    },
    lastBackup: () => lastBackupIn(directory),
    async freeBytes() {
      const { bavail, bsize } = await statfs(directory)
      return bavail * bsize
    },
    async close() {
      closed = true
      clearInterval(watching)
      await draining
      await Promise.all([readers.close(), bulkWriter?.close(), checking?.stop()])
      reader.close()
      writer.close()
      lock.release()
    },
  }
}

const unknown = ({ txnId }: Waiting) => problem('outcomeUnknown', { txn: txnId })

const afterCommit = (error: unknown, waiting: Waiting) => (mayBeOnDisk(error) ? unknown(waiting) : error)
