// Runs in a worker thread: a connection whose long statements do not block the event loop.
import { parentPort, workerData } from 'node:worker_threads'
import { isDamage, openDatabase, type SqliteConnection } from '../database.ts'

export interface Question {
  id: number
  /** A script has no parameters or results, such as BEGIN and COMMIT. */
  kind: 'query' | 'script'
  sql: string
  parameters: readonly unknown[]
}
export type Reply =
  | { id: number; rows: unknown[]; affected: number }
  | { id: number; error: string; errcode: number | undefined }

const { path, mode } = workerData as { path: string; mode: 'read' | 'write' }
/** Damage that prevents opening is the answer to every request; any other failure ends the thread. */
function openOrFail(): { connection: SqliteConnection } | { damage: Error } {
  try {
    return { connection: openDatabase(path, mode) }
  } catch (error) {
    if (isDamage(error)) return { damage: error }
    throw error
  }
}
const opened = openOrFail()

parentPort?.on('message', ({ id, kind, sql, parameters }: Question) => {
  const reply = (): Reply => {
    try {
      if ('damage' in opened) throw opened.damage
      const { connection } = opened
      if (kind === 'query') return { id, ...connection.query(sql, parameters) }
      connection.script(sql)
      return { id, rows: [], affected: 0 }
    } catch (error) {
      const { message, errcode } = error as Error & { errcode?: number }
      return { id, error: message, errcode }
    }
  }
  parentPort?.postMessage(reply())
})
