import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { errorCodeOf } from '../../../common/error-code.ts'
import { first } from '../../../common/present.ts'
import type { Connection } from '../../connection.ts'
import { rowsOf } from '../../connection.ts'
import type { SqliteConnection } from '../database.ts'

const sql = 'PRAGMA data_version'
const versionIn = ({ rows }: { rows: unknown[] }) => first(rowsOf<{ data_version: number }>(rows)).data_version

/**
 * Detects that another program has committed to the file. A connection's `data_version` changes when any other connection commits, and
 * this process has two that do: the writer of the event loop, and that of a thread for bulk changes. They take turns, so each can
 * account for the other's commits:
 *
 *   writer's turn   after its BEGIN IMMEDIATE: its version is the one last seen, or another program has committed
 *   bulk turn       after the thread's BEGIN IMMEDIATE: the same, by the writer; then the thread's version is noted
 *                   after its COMMIT: the writer's version is noted anew, then the thread's must be the one noted before:
 *                   the only commit that the writer has not seen is then the thread's own
 *
 * Reading connections never commit. A checkpoint changes no version, unless it truncates the log, which only others do.
 */
interface Witness {
  /** Whether another program has committed since the last check. */
  sawOther(): boolean
  /** Accepts the current version as ours: after a disk error it changes without a foreign commit. */
  lookAnew(): void
  /** Starts a turn of the thread, which holds the write lock; `endedAlone` tells whether no other program has committed during it. */
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

/** Whether the path still names the opened file: writes to a replaced or removed file would be lost. */
export function openedFile(path: string): { isInPlace(): Promise<boolean> } {
  const { ino, dev } = statSync(path, { bigint: true })
  return {
    async isInPlace() {
      try {
        const now = await stat(path, { bigint: true })
        return now.ino === ino && now.dev === dev
      } catch (error) {
        // Any other error says nothing about the file.
        return errorCodeOf(error) !== 'ENOENT'
      }
    },
  }
}
