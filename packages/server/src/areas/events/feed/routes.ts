import { type DataOf, feed as endpoints, problem, rule } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import { Page } from '../../../http/page.ts'
import { handle, type Route } from '../../../http/route.ts'
import { Stream } from '../../../http/stream.ts'
import type { Snapshot, Storage } from '../../../storage/index.ts'
import { type Model, modelOf } from '../../model/index.ts'
import type { MissingSearchGrant } from '../../privileges/index.ts'
import { catalogue } from './catalogue.ts'
import { EventCondition, type EventFilterBody, readEventFilter } from './event-condition.ts'
import type { Feed } from './feed.ts'
import { queryIn, reset } from './names.ts'
import { readResource, resourceOf } from './resources.ts'
import { objectsBehind, objectToSearch, receiving } from './rights.ts'
import { tryEvents } from './try.ts'
import { Broadcast } from './watching/broadcast.ts'
import { writeCursor } from './watching/cursor.ts'
import { streamed } from './watching/stream.ts'
import { type Interest, type Seen, startOf, waitForEvents } from './watching/watch.ts'

/** With the heavy reader, to check the privileges of callers. */
type FeedOfCallers = Feed & { readonly storage: Pick<Storage, 'read' | 'heavy' | 'background'> }

/** How long a long poll waits for events. */
const longPollMs = 20_000

export function feedRoutes(feed: FeedOfCallers, zone: Zone, lacks: MissingSearchGrant): Route[] {
  const { read } = feed.storage
  const rights = receiving(feed.storage, lacks)
  const readOne = (resource: string, model: Model, field: string) =>
    readResource(resource, model, field, feed.followsQuery)
  const objTypesOf = (named: readonly string[], model: Model) =>
    Promise.all(named.map((each) => readOne(each.trim(), model, 'resource')))
  const searchedOf = async (account: string, objType: string) => {
    const query = queryIn(objType)
    return query === undefined ? (objectToSearch(objType) ?? []) : feed.objectsBehindQuery(account, query)
  }
  const searched = async (account: string, objTypes: readonly string[]): Promise<string[]> =>
    (await Promise.all(objTypes.map((each) => searchedOf(account, each)))).flat()
  const shownWith = ({ event, cursor }: Seen, fields?: readonly string[]) => ({
    bk_cursor: writeCursor(cursor),
    bk_resource: resourceOf(event.objType),
    bk_event_type: event.action,
    bk_detail: detailOf(event, fields),
    revision: event.revision,
    position: event.position,
    ...(event.reason !== '' && { reason: event.reason }),
  })

  const filtering = (sent: EventFilterBody | null | undefined, kinds: readonly string[] | undefined, model: Model) => {
    const filter = readEventFilter(sent, { kinds, zone }, model)
    return filter === '' ? {} : { condition: new EventCondition(filter, { kinds, zone }) }
  }

  const showEvent = (seen: Seen) => shownWith(seen)
  const broadcast = new Broadcast(feed, feed.storage.background, showEvent)
  const pages = new WeakMap<readonly Seen[], Map<string, Page<Watched>>>()

  return [
    handle(endpoints.eventCatalogue, async ({ actor }) =>
      catalogue(await modelOf(read, actor.account), actor.language, zone),
    ),

    handle(endpoints.watchResource, async ({ actor, params, body, until, recheck }) => {
      const model = await modelOf(read, actor.account)
      const objType = await readOne(params.bk_resource, model, 'bk_resource')
      await rights.refuse(actor, await searched(actor.account, [objType]))
      const since = body.bk_cursor || body.bk_start_from === undefined ? undefined : body.bk_start_from * 1000
      const from = await startOf(feed, actor.account, { cursor: body.bk_cursor, since })
      const actions = body.bk_event_types ?? []
      const interest: Interest = {
        account: actor.account,
        objTypes: [objType],
        actions,
        ...(since && { since }),
        ...filtering(body.filter, [objType], model),
      }
      const { seen, cursor } = await waitForEvents(feed, interest, from, until(longPollMs))
      if (seen.length > 0) {
        await recheck()
        await rights.refuse(actor, behindAll(seen))
        const bk_events = () => seen.map((each) => shownWith(each, body.bk_fields))
        return sharedPage(pages, seen, body.bk_fields, () => ({ bk_watched: true, bk_events: bk_events() }))
      }
      const nothing = { bk_resource: params.bk_resource, bk_event_type: '' as const, bk_detail: null }
      return { bk_watched: false, bk_events: [{ bk_cursor: writeCursor(cursor), ...nothing }] }
    }),

    handle(endpoints.tryEvents, ({ actor, body }) => tryEvents({ feed, actor, sent: body, zone, rights })),

    handle(endpoints.streamEvents, async ({ actor, query, headers, recheck, credentials }) => {
      const model = await modelOf(read, actor.account)
      const named = query.resource === undefined ? undefined : String(query.resource).split(',')
      const business = readBusiness(query.bk_biz_id)
      const objTypes = named && (await objTypesOf(named, model))
      await rights.refuse(actor, await searched(actor.account, objTypes ?? []))
      const interest: Interest = {
        account: actor.account,
        ...(objTypes && { objTypes: [...objTypes, reset] }),
        actions: [],
        ...(business !== undefined && { business }),
        ...filtering(readFilterText(query.filter), objTypes, model),
      }
      const resumed = headers['last-event-id'] ?? query.bk_cursor
      const from = await startOf(feed, actor.account, { cursor: resumed && String(resumed), since: undefined })
      // Without a resource, objects that the caller may not search are omitted; a named resource is refused instead.
      const permitted = async (seen: readonly Seen[]) => {
        const some = await rights.permitted(actor, seen)
        if (objTypes && some.length < seen.length) await rights.refuse(actor, behindAll(seen))
        return some
      }
      const listener = { credentials: credentials(), recheck, permitted, show: showEvent }
      const parts = { interest, from, listener }
      return new Stream('text/event-stream', (until) => streamed(feed, broadcast, parts, until))
    }),
  ]
}

type Watched = DataOf<typeof endpoints.watchResource>

/** Watches that are answered the same events share them: they are serialised once for each choice of fields. */
function sharedPage(
  pages: WeakMap<readonly Seen[], Map<string, Page<Watched>>>,
  seen: readonly Seen[],
  fields: readonly string[] | undefined,
  data: () => Watched,
): Page<Watched> {
  const known = pages.get(seen) ?? new Map<string, Page<Watched>>()
  pages.set(seen, known)
  const key = JSON.stringify(fields ?? [])
  const page = known.get(key) ?? new Page<Watched>(data())
  known.set(key, page)
  return page
}

const behindAll = (seen: readonly Seen[]) => new Set(seen.flatMap(({ event }) => objectsBehind(event)))

function readBusiness(text: unknown): number | undefined {
  if (text === undefined) return undefined
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) throw problem('notInteger', { field: 'bk_biz_id' })
  return Number(text)
}

/** The filter of a stream: JSON in a query parameter. */
function readFilterText(text: unknown): EventFilterBody | undefined {
  if (text === undefined) return undefined
  const filter = typeof text === 'string' ? parsedJson(text) : undefined
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw problem('invalid', { field: 'filter', rule: rule('object') })
  }
  return { ...filter }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The current data, or the previous data after a deletion. */
function detailOf({ data: [difference] }: Seen['event'], fields: readonly string[] = []): Snapshot | null {
  const detail = difference?.cur_data ?? difference?.pre_data ?? null
  if (detail === null || fields.length === 0) return detail
  return Object.fromEntries(fields.filter((name) => Object.hasOwn(detail, name)).map((name) => [name, detail[name]]))
}
