import { problem, rule } from '@mainline/contract'
import { currentCaller, currentRequest } from '../common/caller.ts'
import { FairQueue } from '../common/concurrency/fair-queue.ts'
import type { Connection, Rows } from './connection.ts'

export interface FairReads extends Connection {
  /** The number of queued reads. */
  waiting(): number
}

interface FairReadLimits {
  readonly maxConcurrentReads: number
  /** A read that waits longer in the queue is rejected; its caller can retry. */
  readonly waitMs: number
}

/** A longer queue would only hold reads that exceed `waitMs`. */
const maxWaitingPerSlot = 64

interface Asker {
  readonly done: PromiseWithResolvers<Rows>
  readonly late: NodeJS.Timeout
}

interface Read {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly askers: Set<Asker>
  /** Aborted when the clients of all askers have disconnected. */
  readonly abandoning: AbortController
}

/**
 * Fair queue of heavy reads over a connection with few slots: round-robin over callers, and one caller gets at most half of the slots,
 * so that thirty searches of one caller do not block the first search of another.
 *
 * A read that equals a queued one shares its result: eight clients that page through a million hosts cause one count, and since it has
 * not started, no result is older than its request. A read whose clients have all disconnected is dropped, and
 * stopped if it is running and the engine is able to.
 */
export function fairReads(connection: Connection, { maxConcurrentReads, waitMs }: FairReadLimits): FairReads {
  const maxWaiting = maxWaitingPerSlot * maxConcurrentReads
  const queue = new FairQueue<Read>({
    maxRunningPerCaller: Math.max(1, Math.floor(maxConcurrentReads / 2)),
    maxWaiting,
    maxWaitingPerCaller: Math.ceil(maxWaiting / 2),
  })
  let running = 0

  function begin(): void {
    while (running < maxConcurrentReads) {
      const turn = queue.take()
      if (!turn) return
      running++
      const { sql, parameters, askers, abandoning } = turn.item
      for (const { late } of askers) clearTimeout(late)
      answer(askers, (async () => connection.query(sql, parameters, abandoning.signal))()).finally(() => {
        running--
        queue.finish(turn.caller)
        begin()
      })
    }
  }

  function join(read: Read, gone: AbortSignal | undefined): Promise<Rows> {
    const done = Promise.withResolvers<Rows>()
    const late = setTimeout(() => {
      read.askers.delete(asker)
      if (read.askers.size === 0) queue.remove(read)
      done.reject(problem('notReady', { rule: rule('waitedTooLong') }))
    }, waitMs)
    const asker = { done, late }
    read.askers.add(asker)
    const leave = () => {
      if (!read.askers.delete(asker)) return
      clearTimeout(late)
      if (read.askers.size === 0) {
        queue.remove(read)
        read.abandoning.abort()
      }
      done.reject(problem('clientGone'))
    }
    gone?.addEventListener('abort', leave, { once: true })
    return done.promise.finally(() => gone?.removeEventListener('abort', leave))
  }

  return {
    ...(connection.isFar && { isFar: true }),
    query(sql, parameters) {
      const gone = currentRequest()?.gone()
      if (gone?.aborted) throw problem('clientGone')
      const read = sameAs(queue.items(), sql, parameters) ?? {
        ...{ sql, parameters, askers: new Set<Asker>() },
        abandoning: new AbortController(),
      }
      if (!queue.add(currentCaller(), read)) throw problem('notReady', { rule: rule('busy') })
      const answered = join(read, gone)
      begin()
      return answered
    },
    script() {
      throw new Error('heavy reads run no scripts')
    },
    waiting: () => queue.size,
  }
}

function sameAs(reads: Iterable<Read>, sql: string, parameters: readonly unknown[]): Read | undefined {
  for (const read of reads) {
    if (read.sql === sql && parameters.every((value, index) => Object.is(value, read.parameters[index]))) return read
  }
  return undefined
}

async function answer(askers: ReadonlySet<Asker>, reading: Promise<Rows>): Promise<void> {
  try {
    const found = await reading
    // Callers may modify their rows, so each gets a copy.
    const own = (): Rows => ({ ...found, rows: found.rows.map((row) => ({ ...(row as object) })) })
    const isShared = askers.size > 1
    for (const { done } of askers) done.resolve(isShared ? own() : found)
  } catch (error) {
    for (const { done } of askers) done.reject(error)
  }
}
