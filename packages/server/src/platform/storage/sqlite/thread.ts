// Runs in a worker: one connection whose statements may take long without holding up the event loop.
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from './database.ts'

export interface Question {
  id: number
  /** A script runs as it is and returns nothing: BEGIN, COMMIT. */
  kind: 'query' | 'script'
  sql: string
  parameters: readonly unknown[]
}
export type Reply = { id: number; rows: unknown[]; affected: number } | { id: number; error: string }

const { path, mode } = workerData as { path: string; mode: 'read' | 'write' }
const connection = openDatabase(path, mode)

parentPort?.on('message', ({ id, kind, sql, parameters }: Question) => {
  const reply = (): Reply => {
    try {
      if (kind === 'query') return { id, ...connection.query(sql, parameters) }
      connection.script(sql)
      return { id, rows: [], affected: 0 }
    } catch (error) {
      return { id, error: error instanceof Error ? error.message : String(error) }
    }
  }
  parentPort?.postMessage(reply())
})
