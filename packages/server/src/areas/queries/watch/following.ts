import { asCaller } from '../../../common/caller.ts'
import { FairSlots } from '../../../common/concurrency/fair-slots.ts'
import { CatchUp, type FollowingParts } from './catch-up.ts'
import { findWatches, type Watch } from './store.ts'

/** Businesses whose queries are evaluated concurrently. */
const maxConcurrentBusinesses = 4
/** The longest pause before a failing query is tried again. */
const maxBackoffMs = 60_000
/** The pause after a failure, while no query is watched, or while another process is evaluating. */
const pace = { pauseMs: 500, idlePauseMs: 20_000 }

const businessSlots = {
  maxRunning: maxConcurrentBusinesses,
  maxRunningPerCaller: 1,
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitingPerCaller: Number.POSITIVE_INFINITY,
}

export interface Following {
  stop(): Promise<void>
}

/**
 * Runs in every process without a lease: readers find candidates that may have entered or left; the change that records them locks the
 * watch, evaluates them again and advances its position. Other processes then find the position advanced.
 */
export function followQueries(parts: FollowingParts): Following {
  const { storage, tail } = parts
  const { background } = storage
  const stopping = new AbortController()
  const { signal } = stopping
  const catchUp = new CatchUp(parts, signal)
  /** Queries that failed, and when they are tried again. */
  const failing = new Map<string, { failures: number; until: number }>()
  const slots = new FairSlots(businessSlots)
  let head = 0
  storage.history.onDrop(() => {
    catchUp.reset()
    head = 0
  })

  /** Processes the pending log records of every watched query. True when none are left. */
  async function processPending(): Promise<boolean> {
    const watches = await findWatches(storage.read)
    const known = new Set(watches.map((watch) => watch.query))
    catchUp.keepOnly(known)
    for (const query of failing.keys()) if (!known.has(query)) failing.delete(query)
    // On behalf of the business: its queries take turns, and share the pattern quota of one caller.
    const done = watches.map((watch) => {
      const caller = { account: watch.account, user: `\nqueries of ${watch.biz_id}` }
      const business = `${watch.account} ${watch.biz_id}`
      return slots.run(business, () =>
        asCaller(
          caller,
          () => tryCatchUp(watch),
          () => signal,
        ),
      )
    })
    return (await Promise.all(done)).every(Boolean) && watches.length > 0
  }

  /** An error is caught here, so that one failing query does not block the others. */
  async function tryCatchUp(watch: Watch): Promise<boolean> {
    const { failures, until } = failing.get(watch.query) ?? { failures: 0, until: 0 }
    if (signal.aborted || performance.now() < until) return false
    try {
      const isDone = await catchUp.run(watch)
      failing.delete(watch.query)
      return isDone
    } catch (error) {
      background.failed(`following custom query ${watch.query}`, error)
      const backoffMs = Math.min(maxBackoffMs, pace.pauseMs * 2 ** failures)
      failing.set(watch.query, { failures: failures + 1, until: performance.now() + backoffMs })
      return false
    }
  }

  /** Runs until the next pause. */
  async function processAll(): Promise<void> {
    while (!signal.aborted && (await processPending())) head = await tail.changed(head, signal)
  }

  const running = background.repeat('looking after followed queries', pace, signal, processAll)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
