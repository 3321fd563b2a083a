import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { type LogRecord, prepared, type Storage } from '../../platform/storage/index.ts'
import { Newest } from './newest.ts'

/** How soon the log is looked at again while somebody waits: at once after it has grown, then less often, in milliseconds. */
const soonest = 10
const latest = 50

/** The end of the log, followed once for the whole process. */
export interface Tail {
  /** The last position there is. */
  head(): Promise<number>
  /** Records below it have been removed. */
  floor(): Promise<number>
  /**
   * Waits until there is a position above `after`, the signal says to stop waiting, or the tail is stopped. Returns the
   * last position known then.
   */
  changed(after: number, signal?: AbortSignal): Promise<number>
  /** What follows a position, in order and without gaps; of all accounts when none is named. */
  read(account: string | undefined, after: number, limit: number): Promise<readonly LogRecord[]>
  /** What follows a position and is about these objects, or about any when none are named, whatever lies between. */
  readOf(account: string, objects: readonly string[] | undefined, after: number, limit: number): Promise<Stretch>
  /** How many are waiting. */
  waiting(): number
  stop(): void
}

export interface Stretch {
  readonly records: readonly LogRecord[]
  /** Up to here nothing else matches. */
  readonly through: number
}

interface Waiter {
  readonly after: number
  readonly wake: () => void
}

export function createTail({
  read: reader,
  engine,
  background,
}: Pick<Storage, 'read' | 'engine' | 'background'>): Tail {
  const { generation } = engine
  const waiters = new Set<Waiter>()
  const newest = new Newest()
  let ends = { position: 0, floor: 1 }
  let lookedAt: number | undefined
  let next: NodeJS.Timeout | undefined
  let pause = soonest
  const stopping = new AbortController()

  async function look(): Promise<typeof ends> {
    const now = generation?.()
    // Where nobody else can write and nothing has been committed since, what was read still holds.
    if (now !== undefined && now === lookedAt) return ends
    const [found] = await readEnds(reader, {})
    // Two looks may overtake each other, and the log only grows.
    if (found && found.position >= ends.position) {
      ends = found
      lookedAt = now
    }
    return ends
  }

  async function follow(): Promise<void> {
    const before = ends.position
    try {
      const { position } = await look()
      // When a great deal has happened at once, each reads what it wants of it.
      if (!newest.isNear(position)) newest.startAfter(position)
      else if (newest.through < position) newest.add(await readAll(newest.through, position - newest.through))
      pause = position > before ? soonest : Math.min(pause * 2, latest)
    } catch (error) {
      // Waiting clients go on waiting until the storage is back; those that read get the failure.
      background.failed('following the end of the log', error)
      await background.available(stopping.signal)
      pause = latest
    }
    await wakeThose(waiters, ends.position)
    next = undefined
    lookAgain()
  }

  /** While nobody waits, nobody looks. */
  function lookAgain(): void {
    if (!stopping.signal.aborted && waiters.size > 0) next ??= setTimeout(follow, pause).unref()
  }

  const readAll = (after: number, limit: number) => readAfter(reader, { after, limit })

  return {
    head: async () => (await look()).position,
    floor: async () => (await look()).floor,
    waiting: () => waiters.size,

    async changed(after, signal) {
      if (after < ends.position || stopping.signal.aborted || signal?.aborted) return ends.position
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiters.delete(waiter)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const waiter = { after, wake }
        waiters.add(waiter)
        signal?.addEventListener('abort', wake, { once: true })
        lookAgain()
      })
      return ends.position
    },

    async read(account, after, limit) {
      if (!newest.follows(after)) {
        return account === undefined ? readAll(after, limit) : readOfAccount(reader, { account, after, limit })
      }
      const records = newest.since(after)
      return (account === undefined ? records : records.filter((each) => each.account === account)).slice(0, limit)
    },

    async readOf(account, objects, after, limit) {
      if (newest.follows(after)) {
        const { through } = newest
        const isAbout = (each: LogRecord) => each.account === account && (objects?.includes(each.object_id) ?? true)
        return stretch(newest.since(after).filter(isAbout), limit, through)
      }
      if (!objects) {
        // Of all accounts: however little of it is this one's, a page is a page.
        const page = await readAll(after, limit)
        return { records: page.filter((each) => each.account === account), through: page.at(-1)?.position ?? after }
      }
      // One end for all the statements: each sees the log at a moment of its own.
      const { position: through } = await look()
      const within = { account, after, through, limit }
      const pages = await Promise.all(objects.map((object) => readOfObject(reader, { ...within, object })))
      return stretch(pages.flat().sort(byPosition), limit, Math.max(after, through))
    },

    stop() {
      stopping.abort()
      clearTimeout(next)
      for (const waiter of waiters) waiter.wake()
    },
  }
}

/** Woken together they would all be answered before anybody else. */
const wokenAtOnce = 100

async function wakeThose(waiters: Iterable<Waiter>, position: number): Promise<void> {
  let woken = 0
  for (const { after, wake } of waiters) {
    if (after >= position) continue
    wake()
    if (++woken % wokenAtOnce === 0) await nextTurn()
  }
}

/** More may follow a full page; otherwise everything up to where was looked has been seen. */
const stretch = (found: readonly LogRecord[], limit: number, through: number): Stretch => {
  const records = found.slice(0, limit)
  return { records, through: found.length < limit ? through : (records.at(-1)?.position ?? through) }
}

const byPosition = (a: LogRecord, b: LogRecord) => (a.position as number) - (b.position as number)

const readEnds = prepared((reader) => reader.selectFrom('log_head').select(['position', 'floor']))

// Positions are given and the head is moved in one transaction: whoever sees a position sees all below it.
const readAfter = prepared((reader, { after, limit }: { after: number; limit: number }) =>
  reader.selectFrom('log').selectAll().where('position', '>', after).orderBy('position').limit(limit),
)

const readOfAccount = prepared((reader, values: { account: string; after: number; limit: number }) =>
  reader
    .selectFrom('log')
    .selectAll()
    .where('account', '=', values.account)
    .where('position', '>', values.after)
    .orderBy('position')
    .limit(values.limit),
)

interface OfObject {
  readonly account: string
  readonly object: string
  readonly after: number
  readonly through: number
  readonly limit: number
}

/** The spelling of the position that the index on objects has, and no other. */
const place = sql<number>`position + 0`

const readOfObject = prepared((reader, { account, object, after, through, limit }: OfObject) =>
  reader
    .selectFrom('log')
    .selectAll()
    .where('account', '=', account)
    .where('object_id', '=', object)
    .where(place, '>', after)
    .where(place, '<=', through)
    .orderBy(place)
    .limit(limit),
)
