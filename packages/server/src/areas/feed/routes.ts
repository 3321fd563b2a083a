import { feed as endpoints, problem } from '@mainline/contract'
import { handle, type Route } from '../../platform/http/route.ts'
import { Stream } from '../../platform/http/stream.ts'
import type { Snapshot } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { type Model, modelOf } from '../model/index.ts'
import { catalogue } from './catalogue.ts'
import { type Cursor, writeCursor } from './cursor.ts'
import { readResource, resourceOf } from './resources.ts'
import { streamed } from './stream.ts'
import { type Feed, type Interest, type Seen, startOf, waitForEvents } from './watch.ts'

/** How long a watch waits for something to happen, in milliseconds. */
const longPoll = 20_000

export function feedRoutes(feed: Feed, zone: Zone): Route[] {
  const { read, epoch } = feed.storage
  const readOne = (resource: string, model: Model, field: string) =>
    readResource(resource, model, field, feed.followsQuery)
  const cursorOf = (cursor: Cursor) => writeCursor(epoch, cursor)
  const showEvent = ({ event, cursor }: Seen, fields?: readonly string[]) => ({
    bk_cursor: cursorOf(cursor),
    bk_resource: resourceOf(event.objType),
    bk_event_type: event.action,
    bk_detail: detailOf(event, fields),
  })

  return [
    handle(endpoints.eventCatalogue, async ({ actor }) =>
      catalogue(await modelOf(read, actor.account), actor.language, zone),
    ),

    handle(endpoints.watchResource, async ({ actor, params, body, until, recheck }) => {
      const objType = await readOne(params.bk_resource, await modelOf(read, actor.account), 'bk_resource')
      const since = body.bk_cursor || body.bk_start_from === undefined ? undefined : body.bk_start_from * 1000
      const from = await startOf(feed, actor.account, { cursor: body.bk_cursor, since })
      const actions = body.bk_event_types ?? []
      const interest: Interest = { account: actor.account, objTypes: [objType], actions, ...(since && { since }) }
      const { seen, cursor } = await waitForEvents(feed, interest, from, until(longPoll))
      if (seen.length > 0) {
        await recheck()
        return { bk_watched: true, bk_events: seen.map((each) => showEvent(each, body.bk_fields)) }
      }
      const nothing = { bk_resource: params.bk_resource, bk_event_type: '' as const, bk_detail: null }
      return { bk_watched: false, bk_events: [{ bk_cursor: cursorOf(cursor), ...nothing }] }
    }),

    handle(endpoints.streamEvents, async ({ actor, query, headers, recheck }) => {
      const model = await modelOf(read, actor.account)
      const named = query.resource === undefined ? undefined : String(query.resource).split(',')
      const business = readBusiness(query.bk_biz_id)
      const interest: Interest = {
        account: actor.account,
        ...(named && { objTypes: await Promise.all(named.map((each) => readOne(each.trim(), model, 'resource'))) }),
        actions: [],
        ...(business !== undefined && { business }),
      }
      const resumed = headers['last-event-id'] ?? query.bk_cursor
      const from = await startOf(feed, actor.account, { cursor: resumed && String(resumed), since: undefined })
      const listener = { cursor: cursorOf, event: (seen: Seen) => showEvent(seen), recheck }
      return new Stream('text/event-stream', (until) => streamed(feed, interest, from, until, listener))
    }),
  ]
}

function readBusiness(text: unknown): number | undefined {
  if (text === undefined) return undefined
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) throw problem('notInteger', { field: 'bk_biz_id' })
  return Number(text)
}

/** What is there now; what was there, when it is gone. */
function detailOf({ data: [difference] }: Seen['event'], fields: readonly string[] = []): Snapshot | null {
  const detail = difference?.cur_data ?? difference?.pre_data ?? null
  if (detail === null || fields.length === 0) return detail
  return Object.fromEntries(fields.filter((name) => Object.hasOwn(detail, name)).map((name) => [name, detail[name]]))
}
