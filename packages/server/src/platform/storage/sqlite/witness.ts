import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Connection } from '../connection.ts'
import type { SqliteConnection } from './database.ts'

const sql = 'PRAGMA data_version'
const versionIn = ({ rows }: { rows: unknown[] }) => (rows[0] as { data_version: number }).data_version

/**
 * Notices that another program has committed to the file. `data_version` of a connection changes when any connection but itself
 * has committed, and we have two that do: the writer of the event loop, and that of a thread for bulk changes. They take
 * turns, so each can vouch for the other:
 *
 *   writer's turn   after its BEGIN IMMEDIATE: its version is the one last seen, or another program has committed
 *   bulk turn       after the thread's BEGIN IMMEDIATE: the same, by the writer; then the thread's version is noted
 *                   after its COMMIT: the writer's version is noted anew, then the thread's must be the one noted before:
 *                   the only commit that the writer has not seen is then the thread's own
 *
 * Reading connections never commit. A checkpoint changes no version, unless it truncates the log, which only others do.
 */
export interface Witness {
  /** Whether another program has committed since the writer looked last. */
  sawOther(): boolean
  /** Takes what is there for ours: after an error of the disk the version changes by itself. */
  lookAnew(): void
  /** Begins a turn of the thread, which holds the write lock. Afterwards: whether no other program has committed meanwhile. */
  beginBulk(thread: Connection): Promise<{ endedAlone(): Promise<boolean> }>
}

export function openWitness(writer: SqliteConnection): Witness {
  const look = () => versionIn(writer.query(sql, []))
  const lookIn = async (thread: Connection) => versionIn(await thread.query(sql, []))
  let seen = look()
  return {
    sawOther: () => look() !== seen,
    lookAnew() {
      seen = look()
    },
    async beginBulk(thread) {
      const before = await lookIn(thread)
      return {
        async endedAlone() {
          seen = look()
          return (await lookIn(thread)) === before
        },
      }
    },
  }
}

/** Whether the path still leads to the file that was opened: into one that was replaced or removed, nothing is saved. */
export function openedFile(path: string): { isInPlace(): Promise<boolean> } {
  const { ino, dev } = statSync(path, { bigint: true })
  return {
    async isInPlace() {
      try {
        const now = await stat(path, { bigint: true })
        return now.ino === ino && now.dev === dev
      } catch (error) {
        // Any other failure says nothing about the file.
        return (error as NodeJS.ErrnoException).code !== 'ENOENT'
      }
    },
  }
}
