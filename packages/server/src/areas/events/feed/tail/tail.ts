import { type Ends, emptyHistory, type LogRecord, type Storage } from '../../../../storage/index.ts'
import { LogEnds } from './log-ends.ts'
import { logPages, type Stretch } from './log-pages.ts'
import { Newest } from './newest.ts'
import { Waiters } from './waiters.ts'

/**
 * Polling interval while clients wait, for what other processes have numbered; growth caused by this process is noticed immediately. The
 * embedded storage has no other process.
 */
const minPollMs = 10
const maxPollMs = 20

/** Follows the end of the log, once per process. */
export interface Tail {
  /** The last position of the log. */
  head(): Promise<number>
  /** Records below it have been removed by retention. */
  floor(): Promise<number>
  /** Both ends, and the id of the record at a position; not cached. */
  look(asked: number): Promise<Ends>
  /**
   * Waits for a position above `after`, until the signal is aborted or the tail is stopped. Returns the last known position.
   */
  changed(after: number, signal?: AbortSignal): Promise<number>
  /** Records after a position, in order and without gaps; of all accounts if none is given. */
  read(account: string | undefined, after: number, limit: number): Promise<readonly LogRecord[]>
  /** Records after a position about these objects, or about any if none are given; skips all others. */
  readOf(account: string, objects: readonly string[] | undefined, after: number, limit: number): Promise<Stretch>
  /** The number of waiting clients. */
  waiting(): number
  /** The last known position, without a read. */
  known(): number
  /** Whether all records after a position, up to the last known one, are in memory. */
  isCached(after: number): boolean
  /** Follows the log for clients that wait elsewhere. Returns a function to be called when there are new ones. */
  attach(attached: Attached): () => void
  stop(): void
}

interface Attached {
  /** The number of its waiting clients. */
  waiting(): number
  /** There may be new records, in the cache of the tail if they are few. */
  grown(): void
  /** The tail has been stopped. */
  stop(): void
}

type Parts = Pick<Storage, 'read' | 'engine' | 'background' | 'history' | 'onGrowth'>

export function createTail({ read: reader, engine, background, history, onGrowth }: Parts): Tail {
  const ends = new LogEnds(reader, engine, history)
  const waiters = new Waiters()
  const attachments: Attached[] = []
  const waiting = () => attachments.reduce((sum, each) => sum + each.waiting(), waiters.size)
  let announced = 0
  const newest = new Newest()
  const pages = logPages({ reader, history, newest, end: () => ends.look() })
  let next: NodeJS.Timeout | undefined
  let pause = minPollMs
  let isFollowing = false
  let hasGrown = false
  const stopping = new AbortController()

  // Cached records may be of a lost history, and positions that clients wait for may now come much later.
  history.onDrop(() => {
    ends.forget()
    announced = 0
    newest.startAfter(emptyHistory)
    waiters.wakeAll()
  })

  // At the end of the event loop's turn, so that the answer of the change that caused the growth is sent first.
  onGrowth(() => {
    hasGrown = true
    hurry()
  })
  function hurry(): void {
    if (next === undefined) return
    clearTimeout(next)
    next = undefined
    isFollowing = true
    setImmediate(follow)
  }

  /** Reads what has been added since, unless that is more than the cache holds: then each client reads for itself. */
  async function readNewest(): Promise<void> {
    const found = await ends.look()
    const { position } = found
    const { through } = newest
    const era = history.era
    if (!newest.isNear(position)) newest.startAfter(found)
    else if (through.position < position) {
      const records = await pages.readAll(through.position, position - through.position)
      if (era === history.era) newest.add(records)
    }
  }

  async function follow(): Promise<void> {
    if (stopping.signal.aborted) return
    const before = ends.position
    isFollowing = true
    hasGrown = false
    next = undefined
    background.activity.noteWatched()
    try {
      await readNewest()
      pause = ends.position > before ? minPollMs : Math.min(pause * 2, maxPollMs)
    } catch (error) {
      // Waiting clients keep waiting during an outage; readers get the error.
      background.failed('following the end of the log', error)
      await background.available(stopping.signal)
      pause = maxPollMs
    }
    if (ends.position > announced) for (const each of attachments) each.grown()
    announced = ends.position
    await waiters.wakeBelow(ends.position)
    isFollowing = false
    lookAgain()
  }

  /** Polls only while clients are waiting. */
  function lookAgain(): void {
    if (stopping.signal.aborted || waiting() === 0 || isFollowing || next) return
    next = setTimeout(follow, pause).unref()
    if (hasGrown) hurry()
  }

  return {
    read: pages.read,
    readOf: pages.readOf,
    head: async () => (await ends.look()).position,
    floor: async () => (await ends.look()).floor,
    look: (asked) => ends.lookAnew(asked),
    waiting,
    known: () => ends.position,
    isCached: (after) => newest.follows(after) && newest.through.position === ends.position,
    attach(attached) {
      attachments.push(attached)
      return lookAgain
    },

    async changed(after, signal) {
      if (after < ends.position || stopping.signal.aborted || signal?.aborted) return ends.position
      await waiters.wait(after, signal, lookAgain)
      return ends.position
    },

    stop() {
      stopping.abort()
      clearTimeout(next)
      waiters.wakeAll()
      for (const each of attachments) each.stop()
    },
  }
}
