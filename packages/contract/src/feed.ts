import Type from 'typebox'
import { anyone, byGroup } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { FieldNames, JsonObject, literals, Text } from './vocabulary.ts'

export const eventActions = ['create', 'update', 'delete'] as const
export type EventAction = (typeof eventActions)[number]

const resources =
  'biz, set, module, host, any object, host_relation (a host in a module), host_identifier (names of where a host stands), customquery:<id> (hosts in the result of a saved query that a subscription names)'

export const eventCatalogue = endpoint({
  name: 'search_event_catalogue',
  method: 'GET',
  path: '/event/catalogue',
  area: 'Events',
  summary: 'Every event that can be subscribed to, with a sample of what is delivered.',
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
  bk_cursor: Type.String({ description: 'to go on after this event' }),
  bk_resource: Type.String(),
  bk_event_type: Type.Union([...literals(eventActions), Type.Literal('')]),
  bk_detail: Type.Union([JsonObject, Type.Null()], {
    description: 'the record as it is after the event; before it, when it was deleted',
  }),
})

export const watchResource = endpoint({
  name: 'watch_resource',
  method: 'POST',
  path: '/event/watch/resource/:bk_resource',
  area: 'Events',
  summary: `Wait for events of one resource: ${resources}. Answers at once with up to 200, or within 20 s with none and a cursor to go on from.`,
  allow: byGroup('event'),
  params: { bk_resource: Text },
  body: Type.Object({
    bk_cursor: Type.Optional(
      Type.String({ maxLength: 200, description: 'of the last event seen; then bk_start_from is not looked at' }),
    ),
    bk_start_from: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 253_402_300_799, description: 'seconds since 1970; now when left out' }),
    ),
    bk_event_types: Type.Optional(Type.Array(Type.Union(literals(eventActions)), { description: '[] watches all' })),
    bk_fields: Type.Optional(FieldNames),
  }),
  refuses: ['unknown', 'staleCursor'],
  data: Type.Object({
    bk_watched: Type.Boolean({ description: 'false: nothing has happened, and the one entry only holds the cursor' }),
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
  path: '/event/stream',
  area: 'Events',
  summary:
    'Events as they happen, as server-sent events: each id is a cursor, each data what watch_resource answers for one event. Last-Event-ID resumes.',
  allow: byGroup('event'),
  query: {
    resource: `a comma list of ${resources}; all but host_identifier when left out`,
    bk_biz_id: 'only events of this business',
    bk_cursor: 'the event to go on after, for clients that cannot send Last-Event-ID',
  },
  streams: 'text/event-stream',
  refuses: ['unknown', 'notInteger', 'staleCursor'],
  data: Watched,
})
