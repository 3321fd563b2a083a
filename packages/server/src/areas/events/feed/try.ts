import { type BodyOf, type DataOf, feed as endpoints, Problem } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Zone } from '../../../common/time.ts'
import {
  type Actor,
  type LogRecord,
  type Moment,
  type Reader,
  readMoment,
  type Storage,
} from '../../../storage/index.ts'
import { modelOf } from '../../model/index.ts'
import { findBusiness } from '../../topology/index.ts'
import { bodyOf, completed, eventsOf } from './bodies.ts'
import type { FeedEvent } from './event.ts'
import { EventCondition, type EventMatcher, readEventFilter } from './event-condition.ts'
import type { Feed } from './feed.ts'
import { isReset, queryIn, readEventNames } from './names.ts'
import { expand, isOfMany } from './renames.ts'
import { objectsNamed, type receiving } from './rights.ts'
import { type Selection, selectionOf } from './selection.ts'
import { place } from './tail/log-pages.ts'

/** A trial answers what it has found by then. */
const maxTrialMs = 3_000
const maxTrialRecords = 100_000
const recordsPerRead = 200
const usualSince = '-7d'

interface Trial {
  readonly feed: Feed & { readonly storage: Pick<Storage, 'heavy'> }
  readonly actor: Actor
  readonly sent: BodyOf<typeof endpoints.tryEvents>
  readonly zone: Zone
  readonly rights: ReturnType<typeof receiving>
}

/** How many events of the log a subscription with this form and filter would have received, and the newest of them. */
export async function tryEvents({
  feed,
  actor,
  sent,
  zone,
  rights,
}: Trial): Promise<DataOf<typeof endpoints.tryEvents>> {
  const { account } = actor
  const { read, heavy } = feed.storage
  const business = sent.bk_biz_id ?? 0
  if (business !== 0) await findBusiness(read, account, business)
  const model = await modelOf(read, account)
  const names = readEventNames(sent.subscription_form, model)
  const queries = names.flatMap((name) => queryIn(name) ?? [])
  const behind = await Promise.all(queries.map((query) => feed.objectsBehindQuery(account, query)))
  await rights.refuse(actor, [...objectsNamed(names), ...behind.flat()])
  const selection = selectionOf({ account, form: names.join(','), biz_id: business })
  const filter = readEventFilter(sent.filter, { kinds: selection.kinds, zone }, model)
  const matcher = filter === '' ? undefined : new EventCondition(filter, { kinds: selection.kinds, zone }).at(model)
  const from = await startOfTrial(heavy, account, sent.since ?? usualSince, zone)
  const counted = await count({ feed, account, from, selection, matcher }, (events) => rights.permitted(actor, events))
  const { matched, total, newest, reached } = counted
  return {
    matched,
    total,
    since: zone.write(reached ?? from.time),
    complete: reached === undefined,
    events: newest.map((event) => bodyOf(event, zone)),
  }
}

/** A moment before the oldest record that is kept means the whole log. */
async function startOfTrial(reader: Reader, account: string, text: string, zone: Zone): Promise<Moment> {
  try {
    return await readMoment(reader, { account, text, field: 'since', zone })
  } catch (error) {
    if (!(error instanceof Problem && (error.kind === 'momentGone' || error.kind === 'positionGone'))) throw error
  }
  const oldest = await reader
    .selectFrom('log')
    .select('op_time')
    .where('account', '=', account)
    .orderBy('op_time')
    .limit(1)
    .executeTakeFirst()
  return { position: 0, time: oldest?.op_time ?? Date.now() }
}

interface Counting {
  readonly feed: Trial['feed']
  readonly account: string
  readonly from: Moment
  readonly selection: Selection
  readonly matcher: EventMatcher | undefined
}

interface Counted {
  readonly matched: number
  readonly total: number
  readonly newest: readonly FeedEvent[]
  /** The time of the last record that was read, if not all were. */
  readonly reached: number | undefined
}

type Permitted = (events: readonly { readonly event: FeedEvent }[]) => Promise<readonly { readonly event: FeedEvent }[]>

/** Reads backwards from the end of the log. */
async function count(counting: Counting, permitted: Permitted): Promise<Counted> {
  const { feed, account, from, selection } = counting
  const until = performance.now() + maxTrialMs
  const counter = new Counter(counting, until)
  for (let [below, records] = [Number.MAX_SAFE_INTEGER, 0]; ; ) {
    const { objects } = selection
    const page = await readBelow(feed.storage.heavy, { account, objects, below, after: from.position })
    const named = page.flatMap(eventsOf).filter((event) => !isReset(event) && selection.wants(event))
    for (const { event } of await permitted(named.map((event) => ({ event })))) {
      await counter.add(event)
      if (performance.now() > until) return counter.result(event.actionTime)
    }
    if (page.length < recordsPerRead) return counter.result(undefined)
    const last = present(page.at(-1))
    records += page.length
    if (records >= maxTrialRecords || performance.now() > until) return counter.result(last.op_time)
    below = present(last.position)
  }
}

class Counter {
  readonly #counting: Counting
  readonly #until: number
  readonly #newest: FeedEvent[] = []
  #matched = 0
  #total = 0

  constructor(counting: Counting, until: number) {
    this.#counting = counting
    this.#until = until
  }

  /** A rename counts as its hosts, of which there may be too many to count in time. */
  async add(event: FeedEvent): Promise<void> {
    const { feed, selection, matcher } = this.#counting
    for await (const each of hostsOf(event, this.#counting)) {
      this.#total++
      const isShown = this.#newest.length < endpoints.triedEventsShown
      // Identities are read only if they are needed.
      const found = matcher || isShown ? await completed(each, feed.identities, selection.business) : each
      if (!found || matcher?.matches(found) === false) continue
      this.#matched++
      if (isShown) this.#newest.push(found)
      if (performance.now() > this.#until) return
    }
  }

  result(reached: number | undefined): Counted {
    return { matched: this.#matched, total: this.#total, newest: this.#newest, reached }
  }
}

/** The events that a rename represents, one for each host; others as they are. */
async function* hostsOf(event: FeedEvent, { feed, selection }: Counting): AsyncGenerator<FeedEvent> {
  for (let next: FeedEvent | undefined = event; next; ) {
    if (!isOfMany(next)) {
      yield next
      return
    }
    const page = await expand(next, feed.identities, selection.business)
    yield* page.events
    next = page.rest
  }
}

interface Below {
  readonly account: string
  readonly objects: readonly string[]
  readonly below: number
  readonly after: number
}

/** The next records about these objects, newest first. */
async function readBelow(reader: Reader, { account, objects, below, after }: Below): Promise<LogRecord[]> {
  const ofObject = (object: string) =>
    reader
      .selectFrom('log')
      .selectAll()
      .where('account', '=', account)
      .where('object_id', '=', object)
      .where(place, '>', after)
      .where(place, '<', below)
      .orderBy(place, 'desc')
      .limit(recordsPerRead)
      .execute()
  const found = await Promise.all(objects.map(ofObject))
  const byPosition = (a: LogRecord, b: LogRecord) => present(b.position) - present(a.position)
  return found.flat().sort(byPosition).slice(0, recordsPerRead)
}
