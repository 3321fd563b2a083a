import { setImmediate as nextTurn } from 'node:timers/promises'
import { pageLimit, problem } from '@mainline/contract'
import type { Storage } from '../../platform/storage/index.ts'
import { completed, type FeedEvent, type Identities, recordedAs } from './bodies.ts'
import { after, type Cursor, readCursor } from './cursor.ts'
import { type EventAction, identity, queryIn } from './names.ts'
import { eventsFrom } from './numbered.ts'
import { type Expanded, expand, isOfMany, mayConcern } from './renames.ts'
import type { Tail } from './tail.ts'

/** What watching needs from the house. */
export interface Feed {
  readonly storage: Pick<Storage, 'read' | 'epoch'>
  readonly tail: Tail
  /** Undefined while there is nobody who knows hosts. */
  readonly identities: Identities | undefined
  /** Whether it is told who enters the result of a query and who leaves it. */
  followsQuery(account: string, query: string): Promise<boolean>
}

/** What somebody wants to hear of. */
export interface Interest {
  readonly account: string
  /** Everything that happens when undefined, also to objects that are yet to be defined. */
  readonly objTypes?: readonly string[]
  /** All of them when undefined. */
  readonly business?: number
  /** All of them when empty. */
  readonly actions: readonly EventAction[]
  /** In milliseconds since 1970: nothing from before. */
  readonly since?: number
}

const concerns = ({ objTypes, business, actions, since = 0 }: Interest, event: FeedEvent): boolean =>
  (objTypes ? objTypes.includes(event.objType) : isNews(event)) &&
  (business === undefined || mayConcern(event, business)) &&
  (actions.length === 0 || actions.includes(event.action)) &&
  event.actionTime >= since

/** Identities, and who enters and leaves queries, only say again what other events have said. */
const isNews = ({ objType }: FeedEvent): boolean => objType !== identity && queryIn(objType) === undefined

export interface Seen {
  readonly event: FeedEvent
  /** Where to go on from after it. */
  readonly cursor: Cursor
}

export interface Batch {
  readonly seen: readonly Seen[]
  readonly cursor: Cursor
}

/** What has happened since, as far as it fits one answer; and how far that goes. */
export async function nextEvents(feed: Feed, interest: Interest, from: Cursor): Promise<Batch> {
  const objects = interest.objTypes && [...new Set(interest.objTypes.flatMap(recordedAs))]
  const seen: Seen[] = []
  const read = await feed.tail.readOf(interest.account, objects, from.position - 1, pageLimit)
  for (const record of read.records) {
    const position = record.position as number
    const events = eventsFrom(record, position === from.position ? from.passed : 0)
    const last = events.at(-1)
    for await (const event of expanded(events, feed, interest)) {
      const isLast = event.index === last?.index
      seen.push({ event, cursor: isLast ? after(position) : { position, passed: event.index + 1 } })
      if (seen.length === pageLimit) return { seen, cursor: (seen.at(-1) as Seen).cursor }
    }
  }
  return { seen, cursor: after(read.through) }
}

/** Those of interest as they are told, with every host that a rename concerns. */
async function* expanded(
  events: readonly FeedEvent[],
  { identities }: Feed,
  interest: Interest,
): AsyncGenerator<FeedEvent> {
  for (const each of events) {
    if (!concerns(interest, each)) continue
    for (let next: FeedEvent | undefined = each; next; ) {
      const page: Expanded = isOfMany(next)
        ? await expand(next, identities, interest.business, pageLimit)
        : { events: [next], rest: undefined }
      for (const one of page.events) {
        const event = await completed(one, identities, interest.business)
        if (event) yield event
      }
      next = page.rest
    }
  }
}

/** Waits for something to happen until the signal ends it: then there is nothing but a cursor to go on from. */
export async function waitForEvents(feed: Feed, interest: Interest, from: Cursor, until: AbortSignal): Promise<Batch> {
  let batch = await nextEvents(feed, interest, from)
  while (batch.seen.length === 0 && !until.aborted) {
    const head = await feed.tail.changed(batch.cursor.position - 1, until)
    if (head < batch.cursor.position) break
    // A long way back there are many pages with nothing of interest: others have their turn between them.
    await nextTurn()
    batch = await nextEvents(feed, interest, batch.cursor)
  }
  return batch
}

/** Where somebody starts who names a cursor, or a moment, or neither: then it is now. */
export async function startOf(
  { storage, tail }: Feed,
  account: string,
  { cursor, since }: { cursor: string | undefined; since: number | undefined },
): Promise<Cursor> {
  const head = await tail.head()
  if (cursor) {
    const found = readCursor(storage.epoch, cursor)
    if (found.position > head + 1 || found.position < (await tail.floor())) throw problem('staleCursor')
    return found
  }
  if (since === undefined) return after(head)
  await refuseRemoved(storage, await tail.floor(), since)
  return { position: await firstSince(storage, account, since, head), passed: 0 }
}

/** What happened then has been removed, or some of it. */
async function refuseRemoved({ read }: Feed['storage'], floor: number, since: number): Promise<void> {
  const removed = await read
    .selectFrom('seal')
    .select('last_time')
    .where('last_position', '=', floor - 1)
    .executeTakeFirst()
  if (removed && removed.last_time >= since) throw problem('staleCursor')
}

/** How far the clocks of two processes may be apart, in milliseconds. */
const clocksApart = 60_000

/**
 * From where on all records since a moment are found. A change has the time at which it began, and may be numbered long after
 * others that began later: the account's first record by time need not be its first by position. But what was sealed before
 * that record's time holds nothing of it or later, so it is enough to go back to there; what comes first in between is
 * older, and passed over.
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
    .where('sealed_at', '<', first.op_time - clocksApart)
    .where('last_time', '<', since)
    .orderBy('last_position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (before?.last_position ?? 0) + 1
}
