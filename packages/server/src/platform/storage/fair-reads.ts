import { problem, rule } from '@mainline/contract'
import { currentCaller } from '../caller.ts'
import type { Connection, Rows } from './connection.ts'
import { FairQueue } from './fair-queue.ts'

export interface FairReads extends Connection {
  /** How many reads wait for their turn. */
  waiting(): number
}

export interface FairReadLimits {
  /** How many reads the connection works on concurrently. */
  readonly maxConcurrentReads: number
  /** After so long in the queue a read is refused, so that its caller can try again. */
  readonly waitMs: number
}

/** More would only wait longer than `waitMs`. */
const maxWaitingPerSlot = 64

interface Asker {
  readonly done: PromiseWithResolvers<Rows>
  readonly late: NodeJS.Timeout
}

interface Read {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly askers: Set<Asker>
}

/**
 * Heavy reads over a connection that has room for only a few: callers have their turns, and one caller gets at most half of the
 * room, so that thirty searches of one do not keep another from its first.
 *
 * A read that is the same as one still waiting joins it: eight clients that page through a million hosts have them counted
 * once, and none is answered with anything older than its question.
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
      const { sql, parameters, askers } = turn.item
      for (const { late } of askers) clearTimeout(late)
      answer(askers, (async () => connection.query(sql, parameters))()).finally(() => {
        running--
        queue.finish(turn.caller)
        begin()
      })
    }
  }

  function join(read: Read): Promise<Rows> {
    const done = Promise.withResolvers<Rows>()
    const late = setTimeout(() => {
      read.askers.delete(asker)
      if (read.askers.size === 0) queue.remove(read)
      done.reject(problem('notReady', { rule: rule('waitedTooLong') }))
    }, waitMs)
    const asker = { done, late }
    read.askers.add(asker)
    return done.promise
  }

  return {
    ...(connection.isFar && { isFar: true }),
    query(sql, parameters) {
      const read = sameAs(queue.items(), sql, parameters) ?? { sql, parameters, askers: new Set() }
      if (!queue.add(currentCaller(), read)) throw problem('notReady', { rule: rule('busy') })
      const answered = join(read)
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
    // Each gets rows of its own, which it may change.
    const own = (): Rows => ({ ...found, rows: found.rows.map((row) => ({ ...(row as object) })) })
    const isShared = askers.size > 1
    for (const { done } of askers) done.resolve(isShared ? own() : found)
  } catch (error) {
    for (const { done } of askers) done.reject(error)
  }
}
