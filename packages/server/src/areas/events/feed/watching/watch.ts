import { setImmediate as nextTurn } from 'node:timers/promises'
import { pageLimit, problem } from '@mainline/contract'
import { present } from '../../../../common/present.ts'
import { recordId } from '../../../../storage/index.ts'
import { modelOf } from '../../../model/index.ts'
import { completed, recordedAs } from '../bodies.ts'
import type { FeedEvent } from '../event.ts'
import type { EventCondition, EventMatcher } from '../event-condition.ts'
import type { Feed } from '../feed.ts'
import { type EventAction, identity, isReset, queryIn } from '../names.ts'
import { eventsFrom } from '../numbered.ts'
import { type Expanded, expand, isOfMany, mayConcern } from '../renames.ts'
import { after, type Cursor, readAfter, readCursor } from './cursor.ts'
import { CursorGone, idAt, resumeInstead } from './resume.ts'

/** The filter of a watch. */
export interface Interest {
  readonly account: string
  /** Undefined: all objects, including those defined later. */
  readonly objTypes?: readonly string[]
  /** Undefined: all businesses. */
  readonly business?: number
  /** Empty: all actions. */
  readonly actions: readonly EventAction[]
  /** Skips earlier events; milliseconds since 1970. */
  readonly since?: number
  readonly condition?: EventCondition
}

const concerns = ({ objTypes, business, actions, since = 0 }: Interest, event: FeedEvent): boolean =>
  (objTypes ? objTypes.includes(event.objType) : isNews(event)) &&
  (business === undefined || isReset(event) || mayConcern(event, business)) &&
  (actions.length === 0 || actions.includes(event.action)) &&
  event.actionTime >= since

/** Identities and query results repeat what other events contain, so a watch of everything omits them. */
const isNews = ({ objType }: FeedEvent): boolean => objType !== identity && queryIn(objType) === undefined

export interface Seen {
  readonly event: FeedEvent
  /** The cursor after the event. */
  readonly cursor: Cursor
}

export interface Batch {
  readonly seen: readonly Seen[]
  readonly cursor: Cursor
}

/** A cursor whose record exists, and the era in which that was checked; in another era it has to be checked again. */
export interface Verified {
  readonly cursor: Cursor
  readonly era: number
}

/** The next matching events, as many as fit in one answer, and the cursor after them. */
export async function nextEvents(feed: Feed, interest: Interest, from: Cursor): Promise<Batch> {
  const objects = interest.objTypes && [...new Set(interest.objTypes.flatMap(recordedAs))]
  const seen: Seen[] = []
  const matcher = interest.condition?.at(await modelOf(feed.storage.read, interest.account))
  const read = await feed.tail.readOf(interest.account, objects, readAfter(from), pageLimit)
  for (const record of read.records) {
    const mark = { position: present(record.position), id: recordId(record) }
    const events = eventsFrom(record, mark.position === from.position ? (from.passed ?? 0) : 0)
    const last = events.at(-1)
    for await (const event of expanded(events, feed, interest, matcher)) {
      const isLast = event.index === last?.index
      seen.push({ event, cursor: isLast ? after(mark) : { ...mark, passed: event.index + 1 } })
      if (seen.length === pageLimit) return { seen, cursor: present(seen.at(-1)).cursor }
    }
  }
  if (read.throughId === undefined) return { seen, cursor: seen.at(-1)?.cursor ?? from }
  return { seen, cursor: after({ position: read.through, id: read.throughId }) }
}

const maxSharedReads = 16
const sharedReads = new WeakMap<Feed, Map<string, Promise<Batch>>>()

/** Watches that wait for the same events are woken together: one read of the cached end of the log serves them all. */
function nextEventsShared(feed: Feed, interest: Interest, from: Cursor): Promise<Batch> {
  const { tail, storage } = feed
  if (!tail.isCached(readAfter(from))) return nextEvents(feed, interest, from)
  const reads = sharedReads.get(feed) ?? new Map<string, Promise<Batch>>()
  sharedReads.set(feed, reads)
  const key = JSON.stringify([interest, from, tail.known(), storage.history.era])
  const known = reads.get(key)
  if (known) return known
  const reading = nextEvents(feed, interest, from)
  reads.set(key, reading)
  reading.catch(() => reads.delete(key))
  if (reads.size > maxSharedReads) reads.delete(present(reads.keys().next().value))
  return reading
}

/** The matching events in their final form; renames are expanded to every affected host. */
async function* expanded(
  events: readonly FeedEvent[],
  { identities }: Feed,
  interest: Interest,
  matcher: EventMatcher | undefined,
): AsyncGenerator<FeedEvent> {
  for (const each of events) {
    if (!concerns(interest, each)) continue
    for (let next: FeedEvent | undefined = each; next; ) {
      const page: Expanded = isOfMany(next)
        ? await expand(next, identities, interest.business, pageLimit)
        : { events: [next], rest: undefined }
      for (const one of page.events) {
        const event = await completed(one, identities, interest.business)
        if (event && (matcher?.matches(event) ?? true)) yield event
      }
      next = page.rest
    }
  }
}

/**
 * Waits for matching events until the signal is aborted; then the answer is only a cursor to continue from. If the database goes back in
 * the meantime and the cursor's record is lost, the watch is refused.
 */
export async function waitForEvents(
  feed: Feed,
  interest: Interest,
  from: Verified,
  until: AbortSignal,
): Promise<Batch & Verified> {
  const { history } = feed.storage
  let { cursor, era } = from
  for (;;) {
    if (era !== history.era) ({ cursor, era } = await verified(feed, cursor))
    const batch = await nextEventsShared(feed, interest, cursor)
    if (era !== history.era) continue
    cursor = batch.cursor
    if (batch.seen.length > 0 || until.aborted) return { ...batch, era }
    const head = await feed.tail.changed(readAfter(cursor), until)
    if (era === history.era && head <= readAfter(cursor)) return { ...batch, era }
    // A watch that starts far back may read many pages without a match, so it yields between them.
    await nextTurn()
  }
}

/** Refuses a cursor whose record is not in the log. */
export async function verified(feed: Feed, cursor: Cursor): Promise<Verified> {
  for (;;) {
    const { era } = feed.storage.history
    const instead = await resumeInstead(feed, cursor)
    if (era !== feed.storage.history.era) continue
    if (instead) throw new CursorGone(instead, era)
    return { cursor, era }
  }
}

/** The start of a watch: its cursor, or a time, or now. */
export async function startOf(
  feed: Feed,
  account: string,
  { cursor, since }: { cursor: string | undefined; since: number | undefined },
): Promise<Verified> {
  const { storage, tail } = feed
  if (cursor) return verified(feed, readCursor(cursor))
  const { era } = storage.history
  const ends = await tail.look(0)
  if (since === undefined) return { cursor: after(ends), era }
  await refuseRemoved(storage, ends.floor, since)
  const position = (await firstSince(storage, account, since, ends.position)) - 1
  return { cursor: after({ position, id: await idAt(storage.read, position) }), era }
}

/** Refuses a time whose records have been removed, at least in part. */
async function refuseRemoved({ read }: Feed['storage'], floor: number, since: number): Promise<void> {
  const removed = await read
    .selectFrom('seal')
    .select('last_time')
    .where('last_position', '=', floor - 1)
    .executeTakeFirst()
  if (removed && removed.last_time >= since) throw problem('staleCursor')
}

/** Assumed maximum clock skew between processes. */
const maxRecordSkewMs = 60_000

/**
 * A position from which all records since a time are found. A change has the time of its start and may be numbered long after changes that
 * started later, so the account's first record by time need not be its first by position. But segments sealed before that time contain no
 * records of it or later, so reading starts after them; older records in between are skipped.
 */
async function firstSince({ read }: Feed['storage'], account: string, since: number, head: number): Promise<number> {
  const first = await read
    .selectFrom('log')
    .select(['op_time', 'position'])
    .where('account', '=', account)
    .where('op_time', '>=', since)
    .orderBy('op_time')
    .orderBy('ticket')
    .limit(1)
    .executeTakeFirst()
  if (!first) return head + 1
  const before = await read
    .selectFrom('seal')
    .select('last_position')
    .where('last_position', '<', first.position ?? head + 1)
    .where('sealed_at', '<', first.op_time - maxRecordSkewMs)
    .where('last_time', '<', since)
    .orderBy('last_position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (before?.last_position ?? 0) + 1
}
