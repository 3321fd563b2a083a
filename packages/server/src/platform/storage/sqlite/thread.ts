// Runs in a worker: one connection whose statements may take long without holding up the event loop.
import { parentPort, workerData } from 'node:worker_threads'
import { openSqlite } from './connection.ts'

export interface Question {
  id: number
  /** A script runs as it is and returns nothing: BEGIN, COMMIT. */
  kind: 'query' | 'script'
  sql: string
  parameters: readonly unknown[]
}
export type Reply = { id: number; rows: unknown[]; affected: number } | { id: number; error: string }

const { path, mode } = workerData as { path: string; mode: 'read' | 'write' }
const connection = openSqlite(path, mode)

parentPort?.on('message', ({ id, kind, sql, parameters }: Question) => {
  const reply = (): Reply => {
    try {
      if (kind === 'query') return { id, ...connection.query(sql, parameters) }
      connection.script(sql)
      return { id, rows: [], affected: 0 }
    } catch (error) {
      // What SQLite said, not our translation of it, which does not survive the channel.
      const said = error instanceof Error && error.cause instanceof Error ? error.cause : error
      return { id, error: said instanceof Error ? said.message : String(said) }
    }
  }
  parentPort?.postMessage(reply())
})
