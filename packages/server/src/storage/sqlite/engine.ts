import { stat, statfs } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { Refusal } from '../../common/refusal.ts'
import { Cache } from '../cache.ts'
import type { Connection } from '../connection.ts'
import { sqliteDialect } from '../dialect.ts'
import { type Engine, maxCacheBytes, maxLargeCacheBytes, type TransactOptions } from '../engine.ts'
import { lastBackupIn } from '../last-backup.ts'
import { openSqlite } from './connection.ts'
import { checkInBackground } from './file/check.ts'
import { FileGuard } from './file/file-guard.ts'
import { lockDirectory } from './file/lock.ts'
import { openSafety, type Safety } from './file/safety.ts'
import { databaseIn, openToWrite } from './opening.ts'
import { openReaders } from './threads/threads.ts'
import { whereaboutsIn } from './whereabouts.ts'
import { BulkWriter } from './writes/bulk-change.ts'
import { ChangeQueue } from './writes/change-queue.ts'
import { Checkpoints, pagesMovedByCommits } from './writes/checkpoints.ts'
import { commitGroup } from './writes/group-commit.ts'

/** Embedded storage in a directory, for one process. `onUnsafe` is called once the file must not be written any more. */
export function openSqliteEngine(
  directory: string,
  queueTimeMs: number,
  onUnsafe: (why: Refusal) => void = () => {},
): Engine {
  const path = databaseIn(directory)
  let generation = 0
  let isOpen = false
  let isClosed = false
  const safety = openSafety(path, (why) => {
    // Invalidates caches: another program may have written.
    generation++
    // While opening, the refusal is thrown instead.
    if (isOpen) onUnsafe(why)
  })
  const { lock, writer, isChecked } = openLocked(directory, safety)
  const reader = openSqlite(path, 'read', safety.damaged)
  const readers = openReaders(path, Math.max(1, availableParallelism() - 1), queueTimeMs, safety.damaged)
  let checking: ReturnType<typeof checkInBackground> | undefined
  const guard = new FileGuard(path, writer, safety, () => changes.isRunning())
  const committed = () => void generation++
  const bulkWriter = new BulkWriter({ path, guard, safety, committed })
  writer.script(`PRAGMA wal_autocheckpoint = ${pagesMovedByCommits}`)
  const checkpoints = new Checkpoints(writer, () => bulkWriter.connection())
  const changes = new ChangeQueue({
    safety,
    async runGroup(queue) {
      await commitGroup(queue, { writer, guard, safety, committed })
      await checkpoints.afterCommit()
    },
    runBulk: (waiting) => bulkWriter.run(waiting),
  })
  isOpen = true

  function transact<T>(
    txnId: string,
    work: (connection: Connection) => Promise<T>,
    { bulk = false, sheds = false, answered }: TransactOptions = {},
  ): Promise<T> {
    if (isClosed) return Promise.reject(new Error('the storage is closed'))
    const unsafe = safety.problem()
    if (unsafe) return Promise.reject(unsafe)
    const done = Promise.withResolvers<unknown>()
    const run = async (connection: Connection) => {
      const result = await work(connection)
      await answered?.()
      return result
    }
    changes.add({ txnId, run, bulk, done, until: sheds ? performance.now() + queueTimeMs : Infinity })
    return done.promise as Promise<T>
  }

  return {
    dialect: sqliteDialect,
    cache: new Cache(maxCacheBytes, maxLargeCacheBytes),
    queueTimeMs,
    reads: reader,
    heavyReads: readers,
    transact,
    isShared: false,
    generation: () => generation,
    whereabouts: whereaboutsIn(directory, path),
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
      queues: { changes: changes.length, reads: readers.waiting() },
    }),
    sizeBytes: () => sizeOnDisk(path),
    lastBackup: () => lastBackupIn(directory),
    startChecking() {
      if (!isChecked && !isClosed) checking = checkInBackground(path, safety.damaged)
    },
    freeBytes: () => freeBytesIn(directory),
    async close() {
      isClosed = true
      guard.close()
      await changes.idle()
      await Promise.all([readers.close(), bulkWriter.close(), checking?.stop()])
      reader.close()
      writer.close()
      lock.release()
    },
  }
}

function openLocked(directory: string, safety: Safety) {
  const lock = lockDirectory(directory)
  try {
    return { lock, ...openToWrite(databaseIn(directory), safety.damaged) }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Of the database and its write-ahead log. */
async function sizeOnDisk(path: string): Promise<number> {
  const files = [path, `${path}-wal`].map((file) => stat(file).catch(() => ({ size: 0 })))
  return (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0)
}

async function freeBytesIn(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
