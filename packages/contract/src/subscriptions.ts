import Type from 'typebox'
import { byGroup } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { Account, EventFilter, Id, Sort, Start, Success, shaped, Text, Timestamp } from './vocabulary.ts'

const allow = byGroup('event')
/** 0 selects all businesses of the account. */
const BusinessOrAll = Type.Integer({ minimum: 0, description: 'business ID; 0 means the events of all businesses' })
const place = { bk_supplier_account: Account, bk_biz_id: BusinessOrAll }
const one = { ...place, subscription_id: Id }
const onDemo = { bk_supplier_account: '0', bk_biz_id: 0 }
const path = '/event/subscribe/:bk_supplier_account/:bk_biz_id'
const pathOfOne = `${path}/:subscription_id`

export const confirmModes = ['httpstatus', 'regular'] as const
export type ConfirmMode = (typeof confirmModes)[number]
export const timeouts = { least: 1, most: 300, usual: 10 } as const
/** How events are written: as BlueKing CMDB does, or as CloudEvents 1.0 in structured JSON. */
export const eventFormats = ['bk-cmdb', 'cloudevents'] as const
export type EventFormat = (typeof eventFormats)[number]
/** Events in one request. */
export const batches = { least: 2, most: 500, longestWaitMs: 10_000 } as const
/** Requests of one subscription that may be in flight. */
export const parallels = { least: 1, most: 32, usual: 1 } as const

/** The state of a subscription: `lapsed` has lost events to retention and says which, until it is resumed. */
const subscriptionStates = ['active', 'paused', 'unreachable', 'lapsed'] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

const Seconds = Type.Integer({ description: `timeout of a push in seconds, ${timeouts.least} to ${timeouts.most}` })
const Batch = Type.Object(
  {
    max: Type.Integer({ description: `how many events one request may have, ${batches.least} to ${batches.most}` }),
    wait_ms: Type.Optional(
      Type.Integer({
        description: `how long an event waits for others, in milliseconds, 0 (default) to ${batches.longestWaitMs}`,
      }),
    ),
  },
  {
    description:
      'requests carry a JSON array of events, confirmed or rejected as a whole; a rejected one is sent again in halves, down to single events',
  },
)
const form = {
  subscription_name: Type.String({ description: 'unique in the account' }),
  system_name: Type.Optional(Type.String({ description: 'name of the subscribing system' })),
  callback_url: Type.String({ description: 'http or https address that receives the events' }),
  confirm_mode: Type.Optional(
    Type.String({ description: 'httpstatus (default) or regular: how delivery success is judged' }),
  ),
  confirm_pattern: Type.Optional(
    shaped(
      Type.Union([Type.String(), Type.Integer()]),
      'the expected HTTP status (default 200), or a regular expression of RE2',
    ),
  ),
  subscription_form: Type.String({ description: 'event names separated by a comma: see the catalogue' }),
  filter: Type.Optional(EventFilter),
  timeout: Type.Optional(Seconds),
  time_out: Type.Optional(Seconds),
  parallel: Type.Optional(
    Type.Integer({
      description: `how many requests may be in flight, ${parallels.least} (default) to ${parallels.most}; never two with events about one instance. With more than 1, events about different instances arrive in any order`,
    }),
  ),
  format: Type.Optional(
    Type.String({
      description:
        'bk-cmdb (default), or cloudevents: CloudEvents 1.0 in structured JSON, with the webhook-id as id, object/id as subject and the body of bk-cmdb as data',
    }),
  ),
  batch: Type.Optional(Batch),
}
const Secret = Type.String({ description: 'whsec_ and 24 to 64 bytes in base64, as Standard Webhooks has it' })

const example = {
  subscription_name: 'inventory',
  system_name: 'inventory',
  callback_url: 'http://127.0.0.1:9000/events',
  confirm_mode: 'httpstatus',
  confirm_pattern: '200',
  subscription_form: 'setcreate,setupdate,setdelete',
  timeout: 10,
}

export const subscribeEvent = endpoint({
  name: 'subscribe_event',
  method: 'POST',
  effect: 'write',
  path,
  area: 'Events',
  summary: 'Subscribe a callback to events from now on. The signing secret is returned only once, here.',
  allow,
  params: place,
  body: Type.Object({ ...form, secret: Type.Optional(Secret) }),
  refuses: ['unknown', 'tooMany', 'outOfBounds', 'duplicate'],
  data: Type.Object({ subscription_id: Type.Integer(), secret: Secret }),
  example: { params: onDemo, body: example },
})

export const updateEventSubscribe = endpoint({
  name: 'update_event_subscribe',
  method: 'PUT',
  effect: 'write',
  path: pathOfOne,
  area: 'Events',
  summary: 'Replace a subscription. It keeps its position and statistics; pending events follow the new form.',
  allow,
  conditional: true,
  params: one,
  body: Type.Object(form),
  refuses: ['outOfBounds', 'duplicate', 'unknown', 'tooMany'],
  data: Success,
  example: { params: { ...onDemo, subscription_id: 1 }, body: example },
})

export const SubscriptionRecord = Type.Object({
  subscription_id: Type.Integer(),
  subscription_name: Type.String(),
  system_name: Type.String(),
  callback_url: Type.String({
    description: 'to callers who may not change the subscription only its host, as https://host/***',
  }),
  confirm_mode: Type.String(),
  confirm_pattern: Type.String(),
  subscription_form: Type.String(),
  filter: Type.Union([EventFilter, Type.Null()], { description: 'null: every event of the form' }),
  filter_problem: Type.String({
    description:
      "why the filter cannot be applied any more, in the caller's language, such as a deleted attribute; events are then delivered without it",
  }),
  timeout: Type.Integer(),
  time_out: Type.Integer(),
  parallel: Type.Integer(),
  format: Type.String({ description: eventFormats.join(', ') }),
  batch: Type.Union([Type.Object({ max: Type.Integer(), wait_ms: Type.Integer() }), Type.Null()], {
    description: 'null: one event in each request',
  }),
  operator: Type.String({ description: 'last updater' }),
  last_time: Timestamp,
  bk_biz_id: Type.Integer(),
  bk_supplier_account: Type.String(),
  statistics: Type.Object({ total: Type.Integer(), failure: Type.Integer() }),
  state: Type.String({ description: subscriptionStates.join(', ') }),
  state_reason: Type.String({
    description: "why it is not active, or which events are withheld, in the caller's language",
  }),
  position: Type.Integer({
    description: 'all log records up to here have been sent, queued for retry or dead-lettered',
  }),
  lag: Type.Integer({ description: 'log records after the position that have not been processed' }),
  waiting: Type.Integer({ description: 'rejected events that will be retried' }),
  dead_letters: Type.Integer({ description: 'rejected events that are not retried unless replayed' }),
  bk_revision: Type.Integer({ description: 'for the If-Match of a change' }),
})

export const searchSubscription = endpoint({
  name: 'search_subscription',
  method: 'POST',
  effect: 'read',
  path: '/event/subscribe/search/:bk_supplier_account/:bk_biz_id',
  area: 'Events',
  summary: 'List subscriptions: of a business, or with business 0 of the whole account.',
  allow,
  params: place,
  body: Type.Object({
    page: Type.Optional(
      Type.Object({
        start: Type.Optional(Start),
        limit: Type.Optional(Type.Integer({ minimum: 1, description: 'absent returns all' })),
        sort: Type.Optional(Sort),
      }),
    ),
  }),
  refuses: ['unknown'],
  data: Type.Array(SubscriptionRecord),
  example: { params: onDemo, body: { page: { start: 0, limit: 10, sort: 'subscription_name' } } },
})

export const rotateSecret = endpoint({
  name: 'rotate_subscription_secret',
  method: 'POST',
  effect: 'write',
  path: `${pathOfOne}/secret`,
  area: 'Events',
  summary: 'Replace the signing secret. For 24 hours pushes are signed with both.',
  allow,
  conditional: true,
  params: one,
  body: Type.Object({ secret: Type.Optional(Secret) }),
  data: Type.Object({ secret: Secret }),
  example: { params: { ...onDemo, subscription_id: 1 }, body: {} },
})

export const pauseSubscription = endpoint({
  name: 'pause_subscription',
  method: 'POST',
  effect: 'write',
  path: `${pathOfOne}/pause`,
  area: 'Events',
  summary: 'Pause a subscription; no events are lost meanwhile.',
  allow,
  conditional: true,
  params: one,
  data: Success,
  example: { params: { ...onDemo, subscription_id: 1 } },
})

export const resumeSubscription = endpoint({
  name: 'resume_subscription',
  method: 'POST',
  effect: 'write',
  path: `${pathOfOne}/resume`,
  area: 'Events',
  summary: 'Resume a paused subscription; also acknowledges lapsed events.',
  allow,
  conditional: true,
  params: one,
  data: Success,
  example: { params: { ...onDemo, subscription_id: 1 } },
})

/** An event that was sent, as the log has it. */
const sent = {
  position: Type.Integer(),
  event: Type.Integer({ description: 'which event of the record at this position, from 0' }),
  event_name: Type.String({ description: 'empty if its record has been removed by retention' }),
  bk_obj_id: Type.String({ description: 'the object of the instance that it is about; empty with event_name' }),
  bk_inst_id: Type.Union([Type.Integer(), Type.Null()], { description: 'the instance; null with event_name empty' }),
  request_body: Type.Union([Type.String(), Type.Null()], {
    description:
      'the body, made from the log again; null if its record has been removed, if the caller may not search its object, and for hostidentifier, whose data is looked up when it is sent',
  }),
}

export const AttemptRecord = Type.Object({
  time: Timestamp,
  ...sent,
  webhook_id: Type.String(),
  distribution_id: Type.Integer(),
  result: Type.String({ description: 'confirmed, rejected or unreachable' }),
  http_status: Type.Union([Type.Integer(), Type.Null()]),
  duration: Type.Integer({ description: 'milliseconds' }),
  error: Type.String({ description: "why it was not confirmed, in the caller's language" }),
  response_body: Type.String({ description: 'its first 1,024 characters' }),
})

export const listAttempts = endpoint({
  name: 'list_subscription_attempts',
  method: 'GET',
  effect: 'read',
  path: `${pathOfOne}/attempts`,
  area: 'Events',
  summary: 'List the last 100 pushes, newest first.',
  allow,
  params: one,
  data: Type.Array(AttemptRecord),
  example: { params: { ...onDemo, subscription_id: 1 } },
})

export const listAttemptsAbout = endpoint({
  name: 'list_instance_attempts',
  method: 'GET',
  effect: 'read',
  path: '/event/attempts/:bk_supplier_account/:bk_obj_id/:bk_inst_id',
  area: 'Events',
  summary:
    'List the pushes of one instance, newest first: those among the last 100 of each subscription, at most 100. Empty if there are none, no such instance, or the caller may not search the object.',
  allow,
  params: { bk_supplier_account: Account, bk_obj_id: Text, bk_inst_id: Id },
  data: Type.Array(
    Type.Intersect([
      Type.Object({
        subscription_id: Type.Integer(),
        subscription_name: Type.String(),
        bk_biz_id: Type.Integer({ description: 'the business of the subscription; 0 for all' }),
      }),
      AttemptRecord,
    ]),
  ),
  example: { params: { bk_supplier_account: '0', bk_obj_id: 'host', bk_inst_id: 1 } },
})

export const DeadLetterRecord = Type.Object({
  ...sent,
  webhook_id: Type.String(),
  distribution_id: Type.Integer(),
  tries: Type.Integer(),
  time: Timestamp,
  error: Type.String({ description: "why the last attempt failed, in the caller's language" }),
})

export const listDeadLetters = endpoint({
  name: 'list_subscription_dead_letters',
  method: 'GET',
  effect: 'read',
  path: `${pathOfOne}/deadletters`,
  area: 'Events',
  summary:
    'List the events that were rejected on every attempt: the first 200 by position after `after`, plus the remaining ones of the last position.',
  allow,
  params: one,
  query: { after: 'the position after which to list; absent from the beginning' },
  data: Type.Array(DeadLetterRecord),
  example: { params: { ...onDemo, subscription_id: 1 } },
})

const Position = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export const replay = endpoint({
  name: 'replay_subscription',
  method: 'POST',
  effect: 'write',
  path: `${pathOfOne}/replay`,
  area: 'Events',
  summary: 'Replay the dead letters, or the matching events of a range of positions or of time.',
  allow,
  params: one,
  body: Type.Object({
    dead_letters: Type.Optional(
      Type.Boolean({ description: 'true: all dead letters, or with positions those of that range' }),
    ),
    from_position: Type.Optional(Position),
    to_position: Type.Optional(Position),
    from_time: Type.Optional(Type.String({ description: 'such as 2026-01-31 08:00:00' })),
    to_time: Type.Optional(Type.String({ description: 'such as 2026-01-31 09:00:00, inclusive' })),
  }),
  refuses: ['notFound'],
  data: Type.Object({
    dead_letters: Type.Integer({ description: 'how many of them are sent again' }),
    from_position: Type.Union([Type.Integer(), Type.Null()]),
    to_position: Type.Union([Type.Integer(), Type.Null()]),
  }),
  example: { params: { ...onDemo, subscription_id: 1 }, body: { dead_letters: true } },
})

export const discardDeadLetters = endpoint({
  name: 'discard_subscription_dead_letters',
  method: 'POST',
  effect: 'write',
  path: `${pathOfOne}/discard`,
  area: 'Events',
  summary:
    'Discard dead letters: all of them, or those of a range of positions. They are not sent again by a replay of dead letters.',
  allow,
  params: one,
  body: Type.Object({ from_position: Type.Optional(Position), to_position: Type.Optional(Position) }),
  refuses: ['notFound'],
  data: Type.Object({ dead_letters: Type.Integer({ description: 'how many of them are gone' }) }),
  example: { params: { ...onDemo, subscription_id: 1 }, body: {} },
})

export const unsubscribeEvent = endpoint({
  name: 'unsubcribe_event',
  method: 'DELETE',
  effect: 'write',
  path: pathOfOne,
  area: 'Events',
  summary: 'Delete a subscription; its pending events are dropped.',
  allow,
  conditional: true,
  params: one,
  data: Success,
  example: { params: { ...onDemo, subscription_id: 1 } },
})
