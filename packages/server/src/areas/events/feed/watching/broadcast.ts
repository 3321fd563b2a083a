import { Problem } from '@mainline/contract'
import { inBackground } from '../../../../common/caller.ts'
import { inTurns } from '../../../../common/concurrency/turns.ts'
import { WakeSignal } from '../../../../common/concurrency/wake-signal.ts'
import { first } from '../../../../common/present.ts'
import type { StreamSink } from '../../../../http/stream.ts'
import type { Background } from '../../../../storage/index.ts'
import type { Feed } from '../feed.ts'
import { type Cursor, compareCursors, readAfter } from './cursor.ts'
import { heartbeat, type Piece, Round } from './round.ts'
import { type Batch, type Interest, nextEvents, type Seen, type Verified } from './watch.ts'

/** Proxies close silent connections. */
export const heartbeatMs = 15_000
/** Groups that read, and callers of a group whose privileges are checked, at the same time: connections must be left for requests. */
const concurrentGroups = 2
const concurrentChecks = 8
const retryPauseMs = 500

/** What is checked before a stream gets events. Streams with the same credentials and filter share the result. */
export interface Follower {
  readonly credentials: string
  /** Throws a problem if the caller is not identified or privileged any more. */
  recheck(): Promise<void>
  /** The events that the caller may receive now; throws a problem if the stream must end. */
  permitted(seen: readonly Seen[]): Promise<readonly Seen[]>
}

/** Where a stream has left the broadcast. */
export interface Left extends Verified {
  readonly isRefused: boolean
}

interface Member {
  readonly follower: Follower
  readonly sink: StreamSink
  /** What has been written. Beyond the group's cursor if the stream has read further when it joined. */
  cursor: Cursor
  hasLeft: boolean
  readonly leave: (isRefused?: boolean) => void
}

/** Streams with the same filter that have received everything up to the same cursor. */
interface Group {
  readonly interest: Interest
  readonly era: number
  readonly members: Set<Member>
  cursor: Cursor
  wroteAt: number
}

/**
 * Sends new events to all streams of a process. A stream joins once it has caught up, and leaves to read for itself when its client does
 * not read fast enough or when the history has changed:
 *
 *   catching up (stream.ts) --- at the cursor of its group ---> member of the broadcast
 *        ^                                                          |
 *        +---- socket full, history lost, check failed -------------+
 *
 * For every growth of the log each group reads its events once; each event is serialised once, privileges are checked once per
 * credentials, and the same bytes are written to the sockets in turns of a few milliseconds.
 */
export class Broadcast {
  readonly #feed: Feed
  readonly #background: Background
  readonly #show: (seen: Seen) => unknown
  readonly #groups = new Map<string, Group>()
  readonly #grown = new WakeSignal()
  readonly #poll: () => void
  #members = 0
  #isRunning = false
  #isStopped = false
  #writing: Promise<void> = Promise.resolve()

  constructor(feed: Feed, background: Background, show: (seen: Seen) => unknown) {
    this.#feed = feed
    this.#background = background
    this.#show = show
    this.#poll = feed.tail.attach({
      waiting: () => this.#members,
      grown: () => this.#grown.wake(),
      stop: () => this.#stop(),
    })
    feed.storage.history.onDrop(() => this.#dissolve())
  }

  /**
   * Writes events to the sink until the stream has to read for itself or the signal is aborted. Resolves immediately if the stream has not
   * caught up with its group.
   */
  async follow(
    interest: Interest,
    from: Verified,
    follower: Follower,
    sink: StreamSink,
    until: AbortSignal,
  ): Promise<Left> {
    const { cursor, era } = from
    const key = JSON.stringify(interest)
    const isBehind = () => compareCursors(cursor, this.#groups.get(key)?.cursor ?? cursor) < 0
    if (until.aborted || this.#isStopped || era !== this.#feed.storage.history.era || isBehind()) {
      return { cursor, era, isRefused: false }
    }
    const group = this.#groups.get(key) ?? { interest, era, members: new Set(), cursor, wroteAt: performance.now() }
    this.#groups.set(key, group)
    const left = Promise.withResolvers<Left>()
    const leave = (isRefused = false) => {
      if (!group.members.delete(member)) return
      member.hasLeft = true
      this.#members--
      if (group.members.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key)
      until.removeEventListener('abort', aborted)
      left.resolve({ cursor: member.cursor, era, isRefused })
    }
    const member: Member = { follower, sink, cursor, hasLeft: false, leave }
    const aborted = () => leave()
    group.members.add(member)
    this.#members++
    until.addEventListener('abort', aborted, { once: true })
    this.#poll()
    if (group.members.size === 1) this.#grown.wake()
    if (!this.#isRunning) {
      this.#isRunning = true
      void inBackground(() => this.#run())
    }
    return left.promise
  }

  async #run(): Promise<void> {
    while (this.#members > 0 && !this.#isStopped) {
      let isFailed = false
      const round = new Round(this.#feed, this.#show)
      await eachOf([...this.#groups.values()], concurrentGroups, async (group) => {
        try {
          await this.#advance(group, round)
        } catch (error) {
          isFailed = true
          this.#background.failed('sending events to streams', error)
        }
      })
      await this.#background.available()
      await this.#grown.wait(isFailed ? retryPauseMs : this.#nextHeartbeatMs())
    }
    this.#isRunning = false
  }

  #nextHeartbeatMs(): number {
    const oldest = Math.min(...Array.from(this.#groups.values(), ({ wroteAt }) => wroteAt))
    return Math.max(1, oldest + heartbeatMs - performance.now())
  }

  /** Sends a group everything up to the known end of the log, and a heartbeat if there was nothing for long. */
  async #advance(group: Group, round: Round): Promise<void> {
    const { storage } = this.#feed
    const isCurrent = () => group.era === storage.history.era && group.members.size > 0
    while (isCurrent() && readAfter(group.cursor) < round.end) {
      const before = group.cursor
      const batch = await nextEvents(round.feed, group.interest, before)
      if (!isCurrent() || compareCursors(batch.cursor, before) <= 0) return
      if (batch.seen.length > 0) await this.#send(group, batch, round)
      else this.#skipTo(group, batch.cursor)
    }
    if (isCurrent() && performance.now() - group.wroteAt >= heartbeatMs) {
      await this.#send(group, { seen: [], cursor: group.cursor }, round)
    }
  }

  #skipTo(group: Group, cursor: Cursor): void {
    group.cursor = cursor
    for (const member of group.members) if (compareCursors(member.cursor, cursor) < 0) member.cursor = cursor
  }

  async #send(group: Group, batch: Batch, round: Round): Promise<void> {
    const before = group.cursor
    const { position } = batch.cursor
    const through = Math.max(position, this.#feed.tail.known())
    for (const member of group.members) {
      if (compareCursors(member.cursor, before) > 0 && compareCursors(member.cursor, batch.cursor) < 0) member.leave()
    }
    const members = [...group.members].filter(({ cursor }) => compareCursors(cursor, before) === 0)
    // Streams that join from here on get only what comes after the batch.
    group.cursor = batch.cursor
    group.wroteAt = performance.now()
    const callers = Map.groupBy(members, ({ follower }) => follower.credentials)
    await eachOf([...callers], concurrentChecks, async ([credentials, same]) => {
      const { follower } = first(same)
      try {
        await round.checked(credentials, { position, through }, () => follower.recheck())
        const seen = await follower.permitted(batch.seen)
        // A heartbeat also if all events are omitted, so that the client does not resume before them.
        const only = { bytes: Buffer.from(heartbeat(batch.cursor)), cursor: batch.cursor }
        const pieces = seen.length > 0 ? await round.piecesOf(seen) : [only]
        await this.#write(same, pieces, batch.cursor)
      } catch (error) {
        // After other errors each stream reads for itself.
        for (const member of same) member.leave(error instanceof Problem)
      }
    })
  }

  /** One list of streams at a time, in turns, so that the event loop is not held however many there are. */
  #write(members: readonly Member[], pieces: readonly Piece[], through: Cursor): Promise<void> {
    const last = pieces.at(-1)
    const writing = this.#writing.then(() =>
      inTurns(members, (member) => {
        if (member.hasLeft) return
        for (const piece of pieces) {
          const isReady = member.sink.write(piece.bytes)
          member.cursor = piece === last ? through : piece.cursor
          // The rest, and all that follows, is read again once the client has read this.
          if (!isReady) return member.leave()
        }
      }),
    )
    this.#writing = writing.catch(() => {})
    return writing
  }

  /** Earlier reads may belong to a lost history: every stream verifies its own cursor. */
  #dissolve(): void {
    for (const group of this.#groups.values()) for (const member of group.members) member.leave()
  }

  #stop(): void {
    this.#isStopped = true
    this.#dissolve()
    this.#grown.wake()
  }
}

async function eachOf<T>(all: readonly T[], concurrency: number, work: (each: T) => Promise<void>): Promise<void> {
  const left = all[Symbol.iterator]()
  const worker = async () => {
    for (const each of left) await work(each)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, worker))
}
