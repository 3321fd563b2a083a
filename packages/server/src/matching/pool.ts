import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { problem, rule } from '@mainline/contract'
import { FairQueue } from '../common/concurrency/fair-queue.ts'
import type { MatchQuestion, MatchReply } from './thread.ts'

interface Matched {
  readonly found: Uint8Array
  readonly tookMs: number
}

interface Job {
  readonly pattern: string
  readonly texts: readonly string[]
  readonly done: PromiseWithResolvers<Matched>
}

export interface MatchPool {
  /** Matches the texts in a thread. Rejects with `clientGone` if the signal is aborted before its turn. */
  match(caller: string, pattern: string, texts: readonly string[], gone?: AbortSignal): Promise<Matched>
  close(): Promise<void>
}

const maxWaiting = 1_000

/** Pool of matching threads, started on demand. Callers take turns, with one running job each. */
export function openMatchPool(threadCount = Math.max(1, Math.min(4, availableParallelism() - 1))): MatchPool {
  const queue = new FairQueue<Job>({ maxRunningPerCaller: 1, maxWaiting, maxWaitingPerCaller: maxWaiting / 2 })
  const idle = new Set<MatchThread>()
  const threads = new Set<MatchThread>()

  function begin(): void {
    while (idle.size > 0 || threads.size < threadCount) {
      const turn = queue.take()
      if (!turn) return
      const [thread = start()] = idle
      idle.delete(thread)
      thread
        .match(turn.item)
        .then(turn.item.done.resolve, turn.item.done.reject)
        .finally(() => {
          queue.finish(turn.caller)
          if (threads.has(thread)) idle.add(thread)
          begin()
        })
    }
  }

  function start(): MatchThread {
    const thread = startMatchThread(() => {
      threads.delete(thread)
      idle.delete(thread)
    })
    threads.add(thread)
    return thread
  }

  return {
    match(caller, pattern, texts, gone) {
      const job: Job = { pattern, texts, done: Promise.withResolvers() }
      if (gone?.aborted) return Promise.reject(problem('clientGone'))
      if (!queue.add(caller, job)) return Promise.reject(problem('notReady', { rule: rule('busy') }))
      const leave = () => {
        queue.remove(job)
        job.done.reject(problem('clientGone'))
      }
      gone?.addEventListener('abort', leave, { once: true })
      begin()
      return job.done.promise.finally(() => gone?.removeEventListener('abort', leave))
    },
    async close() {
      await Promise.all([...threads].map((thread) => thread.terminate()))
    },
  }
}

interface MatchThread {
  match(job: Pick<Job, 'pattern' | 'texts'>): Promise<Matched>
  terminate(): Promise<unknown>
}

/** Runs one job at a time. If the thread exits, its job fails, and the next one gets a new thread. */
function startMatchThread(onExit: () => void): MatchThread {
  // TypeScript in the source tree, JavaScript in the package.
  const worker = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
  })
  worker.unref()
  let asked: { readonly id: number; readonly done: PromiseWithResolvers<Matched> } | undefined
  let next = 0
  worker.on('message', ({ id, found, tookMs }: MatchReply) => {
    if (asked?.id !== id) return
    asked.done.resolve({ found, tookMs })
    asked = undefined
    worker.unref()
  })
  let because: unknown
  worker.on('error', (error) => {
    because = error
  })
  worker.on('exit', () => {
    onExit()
    asked?.done.reject(Object.assign(problem('notReady', { rule: rule('busy') }), { cause: because }))
  })
  return {
    match({ pattern, texts }) {
      const done = Promise.withResolvers<Matched>()
      asked = { id: next++, done }
      worker.ref()
      worker.postMessage({ id: asked.id, pattern, texts } satisfies MatchQuestion)
      return done.promise
    },
    terminate: () => worker.terminate(),
  }
}
