import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { problem } from '@mainline/contract'
import type { Connection, Rows } from '../../connection.ts'
import { type FairReads, fairReads } from '../../fair-reads.ts'
import { type OnDamage, sqliteError } from '../connection.ts'
import type { Question, Reply } from './thread.ts'

/** Reads sent to a thread at a time: it runs the second one while the result of the first is transferred. */
const readsPerThread = 2

export interface ThreadConnection extends Connection {
  script(sql: string): Promise<void>
  close(): Promise<void>
  readonly waiting: number
  /** The thread has exited, and with it its transaction: every request fails, and the owner has to open another thread. */
  readonly ended: boolean
}

/** A connection in its own thread. A round trip costs about 75 µs on top of the work. */
export function openThread(path: string, mode: 'read' | 'write', onDamage: OnDamage = () => {}): ThreadConnection {
  // TypeScript in the source tree, JavaScript in the package.
  const worker = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: { path, mode },
    // Rows are short-lived; a larger young generation would only hold memory.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
  worker.unref()
  const asked = new Map<number, PromiseWithResolvers<Rows>>()
  let next = 0
  let closing = false
  let ended = false
  let because: unknown = new Error('it did not say why')

  worker.on('message', (reply: Reply) => {
    const question = asked.get(reply.id)
    asked.delete(reply.id)
    if (asked.size === 0) worker.unref()
    if ('error' in reply) {
      const error = Object.assign(new Error(reply.error), { errcode: reply.errcode })
      question?.reject(sqliteError(error, path, onDamage))
    } else question?.resolve(reply)
  })
  const lost = () => Object.assign(problem('notReady'), { cause: because })
  worker.on('error', (why) => {
    because = why
  })
  // Only on exit: until then its connection may be open and hold the write lock.
  worker.on('exit', () => {
    ended = true
    if (!closing) process.emitWarning(`A storage thread has ended, another takes its place: ${because}`)
    for (const question of asked.values()) question.reject(lost())
    asked.clear()
  })

  const ask = (kind: Question['kind'], sql: string, parameters: readonly unknown[]): Promise<Rows> => {
    if (ended) return Promise.reject(lost())
    const question = Promise.withResolvers<Rows>()
    const id = next++
    asked.set(id, question)
    worker.ref()
    worker.postMessage({ id, kind, sql, parameters } satisfies Question)
    return question.promise
  }
  return {
    query: (sql, parameters) => ask('query', sql, parameters),
    script: async (sql) => void (await ask('script', sql, [])),
    async close() {
      closing = true
      await worker.terminate()
    },
    get waiting() {
      return asked.size
    },
    get ended() {
      return ended
    },
  }
}

export interface Readers extends FairReads {
  threads(): { readonly inUse: number; readonly idle: number }
  close(): Promise<void>
}

/**
 * A pool of reading threads as one connection; each read goes to the thread with the shortest queue. Threads are opened on demand, and
 * replaced after they have ended.
 */
export function openReaders(path: string, count: number, queueTimeMs: number, onDamage?: OnDamage): Readers {
  let threads: ThreadConnection[] = []
  let closed = false
  const open = () => {
    if (threads.length === 0 || threads.some((thread) => thread.ended)) {
      const alive = threads.filter((thread) => !thread.ended)
      threads = [...alive, ...Array.from({ length: count - alive.length }, () => openThread(path, 'read', onDamage))]
    }
    return threads
  }
  const idlest = () => open().reduce((best, thread) => (thread.waiting < best.waiting ? thread : best))
  const threadPool: Connection = {
    query(sql, parameters) {
      if (closed) throw new Error('the storage is closed')
      return idlest().query(sql, parameters)
    },
    script() {
      throw new Error('readers do not run scripts')
    },
  }
  return {
    ...fairReads(threadPool, { maxConcurrentReads: count * readsPerThread, waitMs: queueTimeMs }),
    threads() {
      const inUse = threads.filter((thread) => thread.waiting > 0).length
      return { inUse, idle: count - inUse }
    },
    async close() {
      closed = true
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}
