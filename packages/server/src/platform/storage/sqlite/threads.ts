import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { problem } from '@mainline/contract'
import type { Connection, Rows } from '../connection.ts'
import { type FairReads, fairReads } from '../fair-reads.ts'
import { type OnDamage, translated } from './connection.ts'
import type { Question, Reply } from './thread.ts'

/** How many reads a thread is given at once: it goes on with the second while the answer to the first is on its way. */
const givenAtOnce = 2

export interface ThreadConnection extends Connection {
  script(sql: string): Promise<void>
  close(): Promise<void>
  readonly waiting: number
  /** Its thread is gone, and its transaction with it: it refuses everything, and whoever goes on opens another. */
  readonly ended: boolean
}

/** A connection in a thread of its own. A question and its answer cost about 75 microseconds on top of the work. */
export function openThread(path: string, mode: 'read' | 'write', onDamage: OnDamage = () => {}): ThreadConnection {
  // The source is TypeScript; what is packed is not.
  const worker = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: { path, mode },
    // Rows pass through and are gone: room for more of them at once would only be kept.
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
      question?.reject(translated(error, path, onDamage))
    } else question?.resolve(reply)
  })
  const lost = () => Object.assign(problem('notReady'), { cause: because })
  worker.on('error', (why) => {
    because = why
  })
  // Not before: until then its connection may be open, and hold the lock that the next change waits for.
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
 * Several reading threads as one connection; each read goes to the one with the fewest waiting. Opened when first
 * needed, and again when they have ended.
 */
export function openReaders(path: string, count: number, queueTime: number, onDamage?: OnDamage): Readers {
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
    ...fairReads(threadPool, { maxConcurrentReads: count * givenAtOnce, waitMs: queueTime }),
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
