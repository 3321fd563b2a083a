import Type from 'typebox'
import { anyone, byGroup } from './allow.ts'
import { endpoint } from './endpoint.ts'
import {
  EventFilter,
  FieldNames,
  JsonObject,
  literals,
  MomentText,
  momentForms,
  Text,
  Timestamp,
} from './vocabulary.ts'

export const eventActions = ['create', 'update', 'delete'] as const
export type EventAction = (typeof eventActions)[number]

const resources =
  'biz, set, module, host, any object, host_relation (a host in a module), host_identifier (names of where a host stands), customquery:<id> (hosts in the result of a saved query that a subscription names), history (the log was reset to an earlier position)'

export const eventCatalogue = endpoint({
  name: 'search_event_catalogue',
  method: 'GET',
  effect: 'read',
  path: '/event/catalogue',
  area: 'Events',
  summary: 'List the events that can be subscribed to, each with a sample body.',
  allow: anyone,
  data: Type.Array(
    Type.Object({
      event_name: Type.String({ description: 'for subscription_form' }),
      bk_resource: Type.String({ description: 'for watch and stream' }),
      bk_obj_id: Type.String(),
      bk_obj_name: Type.String(),
      sample: JsonObject,
    }),
  ),
})

const Watched = Type.Object({
  bk_cursor: Type.String({ description: 'cursor to resume after this event' }),
  bk_resource: Type.String(),
  bk_event_type: Type.Union([...literals(eventActions), Type.Literal('')]),
  bk_detail: Type.Union([JsonObject, Type.Null()], {
    description: 'the record after the event; for a deletion, before it',
  }),
  revision: Type.Optional(
    Type.Integer({ description: 'of the instance after the event; absent in an entry without an event' }),
  ),
  position: Type.Optional(Type.Integer({ description: 'of the record in the log' })),
  reason: Type.Optional(Type.String({ description: 'the X-Change-Reason of the change, where one was given' })),
})

export const watchResource = endpoint({
  name: 'watch_resource',
  method: 'POST',
  effect: 'watch',
  path: '/event/watch/resource/:bk_resource',
  area: 'Events',
  summary: `Watch the events of one resource (long polling): ${resources}. Responds immediately with up to 200 events, or within 20 s with none and a cursor to resume from.`,
  allow: byGroup('event'),
  params: { bk_resource: Text },
  body: Type.Object({
    bk_cursor: Type.Optional(
      Type.String({ maxLength: 200, description: 'of the last event seen; if given, bk_start_from is ignored' }),
    ),
    bk_start_from: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 253_402_300_799, description: 'Unix time in seconds; default now' }),
    ),
    bk_event_types: Type.Optional(Type.Array(Type.Union(literals(eventActions)), { description: '[] watches all' })),
    bk_fields: Type.Optional(FieldNames),
    filter: Type.Optional(EventFilter),
  }),
  refuses: ['unknown', 'staleCursor', 'cursorGone'],
  data: Type.Object({
    bk_watched: Type.Boolean({ description: 'false: no events, and the single entry contains only the cursor' }),
    bk_events: Type.Array(Watched),
  }),
  example: {
    params: { bk_resource: 'set' },
    body: { bk_start_from: 0, bk_event_types: ['create'], bk_fields: ['bk_set_name'] },
  },
})

export const streamEvents = endpoint({
  name: 'stream_events',
  method: 'GET',
  effect: 'watch',
  path: '/event/stream',
  area: 'Events',
  summary:
    'Stream events as server-sent events: each id is a cursor, each data is an entry as returned by watch_resource. Last-Event-ID resumes.',
  allow: byGroup('event'),
  query: {
    resource: `a comma list of ${resources}; all but host_identifier when left out; history is always included`,
    bk_biz_id: 'only events of this business',
    bk_cursor: 'the event to go on after, for clients that cannot send Last-Event-ID',
    filter: 'only events that match this JSON object, as the filter of a subscription',
  },
  streams: 'text/event-stream',
  refuses: ['unknown', 'notInteger', 'staleCursor', 'cursorGone'],
  data: Watched,
})

const Recorded = Type.Union([JsonObject, Type.Null()])

/** What a receiver of a subscription gets: the body of a push, an element of a batch, or the data of a CloudEvent. */
export const PushedEvent = Type.Object({
  event_type: Type.Union(literals(['instdata', 'relation'])),
  action: Type.Union(literals(eventActions)),
  action_time: Timestamp,
  obj_type: Type.String({
    description: 'the object, or moduletransfer, hostidentifier, instassociation, customquery, history',
  }),
  data: Type.Array(Type.Object({ cur_data: Recorded, pre_data: Recorded }), {
    description: 'pre_data is null after a creation, cur_data after a deletion',
  }),
  bk_supplier_account: Type.String(),
  request_id: Type.String(),
  request_time: Timestamp,
  txn_id: Type.String({ description: 'the change' }),
  revision: Type.Integer({ description: 'of the instance after the change: ignore an event with a lower one' }),
  position: Type.Integer({ description: 'of the change in the log' }),
  reason: Type.Optional(Type.String({ description: 'why the change was made, if that was said' })),
  distribution_id: Type.Integer({ description: 'grows with every event of the subscription' }),
  subscription_id: Type.Integer(),
  webhook_id: Type.Optional(Type.String({ description: 'in batches: the key for de-duplication' })),
})

export const CloudEvent = Type.Object({
  specversion: Type.Literal('1.0'),
  id: Type.String({ description: 'the key for de-duplication' }),
  source: Type.String({ description: '/mainline/ and the supplier account' }),
  type: Type.String({ description: 'mainline.<obj_type>.<action>' }),
  subject: Type.String({ description: 'the instance, such as set/7' }),
  time: Timestamp,
  datacontenttype: Type.Literal('application/json'),
  data: PushedEvent,
})

/** What `try_events` answers at most, newest first. */
export const triedEventsShown = 20

export const tryEvents = endpoint({
  name: 'try_events',
  method: 'POST',
  effect: 'read',
  path: '/event/try',
  area: 'Events',
  summary: `Try a subscription's form and filter on the log: how many of the events since a moment would have been delivered, and the newest ${triedEventsShown} with their bodies. Reads backwards from now, for at most a few seconds; \`complete\` and \`since\` say how far it got.`,
  allow: byGroup('event'),
  body: Type.Object({
    subscription_form: Type.String({ description: 'event names separated by a comma: see the catalogue' }),
    filter: Type.Optional(EventFilter),
    bk_biz_id: Type.Optional(
      Type.Integer({ minimum: 0, description: 'the business of the subscription; 0 means all' }),
    ),
    since: Type.Optional(Type.String({ ...MomentText, description: `default -7d; ${momentForms}` })),
  }),
  refuses: ['unknown', 'notFound'],
  data: Type.Object({
    matched: Type.Integer({ description: 'how many of them match the filter' }),
    total: Type.Integer({ description: 'how many events the form names, in the business' }),
    since: Timestamp,
    complete: Type.Boolean({ description: 'false: there were too many to read; `since` is how far back it got' }),
    events: Type.Array(JsonObject, {
      description: `the newest ${triedEventsShown} that match, as a receiver would get them, without distribution_id and subscription_id`,
    }),
  }),
  example: {
    body: { subscription_form: 'setupdate', filter: { changed: { $in: ['bk_set_name'] } }, bk_biz_id: 0, since: '-7d' },
  },
})
