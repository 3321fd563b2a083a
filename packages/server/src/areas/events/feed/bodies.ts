import type { feed } from '@mainline/contract'
import type { Static } from 'typebox'
import { readOwnJson } from '../../../common/own-json.ts'
import { first, present } from '../../../common/present.ts'
import type { Zone } from '../../../common/time.ts'
import type { Emitted, LogRecord, Snapshot } from '../../../storage/index.ts'
import { idField } from '../../topology/index.ts'
import { type Difference, type FeedEvent, type HostIdentity, type Identities, instanceKey } from './event.ts'
import { type EventAction, identity as identityEvent, isRelation, moved, partsOf, queryIn } from './names.ts'
import { identifying, identityOfMany } from './renames.ts'

type EventBody = Omit<Static<typeof feed.PushedEvent>, 'distribution_id' | 'subscription_id' | 'webhook_id'>

/** Records are shared by all watchers and subscriptions, so their events are derived once. */
const takenApart = new WeakMap<LogRecord, readonly FeedEvent[]>()

/** The events of a numbered record, in order. */
export function eventsOf(record: LogRecord): readonly FeedEvent[] {
  const known = takenApart.get(record)
  if (known) return known
  const stored = readOwnJson<Emitted[]>(record.events)
  const own = stored.map((each, index) => eventOf(record, each, index))
  const renamed = identityOfMany(own, record)
  const events = renamed ? [...own, renamed] : withIdentities(own)
  takenApart.set(record, events)
  return events
}

function eventOf(record: LogRecord, emitted: Emitted, index: number): FeedEvent {
  const difference = differenceOf(record, emitted)
  const { kind, action } = partsOf(emitted.name)
  const about = difference.cur_data ?? difference.pre_data
  return {
    name: emitted.name,
    objType: kind,
    eventType: isRelation(emitted.name) ? 'relation' : 'instdata',
    action: action ?? actionOf(difference),
    account: record.account,
    // A move between businesses has an event in each of them.
    businessId: emitted.name === moved ? Number(about?.bk_biz_id ?? record.biz_id) : record.biz_id,
    instance: instanceOf(record, kind, about),
    position: present(record.position),
    index,
    actionTime: record.op_time,
    requestId: record.request_id,
    txnId: record.txn_id,
    revision: emitted.revision ?? record.revision,
    reason: record.reason,
    ordinal: record.ordinal,
    data: [difference],
    ...(emitted.searched && { searched: emitted.searched }),
  }
}

/** The record of a business also has the events of the sets and modules that are built into it. */
function instanceOf({ object_id, inst_id }: LogRecord, kind: string, about: Snapshot | null): string {
  const id = kind === object_id ? undefined : about?.[idField(kind)]
  return typeof id === 'number' ? instanceKey(kind, id) : instanceKey(object_id, inst_id)
}

/** An event without data of its own is about the record's instance. */
function differenceOf(record: LogRecord, { before, after }: Emitted): Difference {
  if (before !== undefined || after !== undefined) return { cur_data: after ?? null, pre_data: before ?? null }
  const { pre, cur } = readOwnJson<{ pre: Snapshot | null; cur: Snapshot | null }>(record.content)
  return { cur_data: cur, pre_data: pre }
}

function actionOf({ cur_data, pre_data }: Difference): EventAction {
  if (pre_data === null) return 'create'
  return cur_data === null ? 'delete' : 'update'
}

/** Adds a hostidentifier event, after the others, for each new, changed or moved host. */
function withIdentities(events: readonly FeedEvent[]): FeedEvent[] {
  const causes = new Map<number, FeedEvent>()
  /** The business that the host has joined gets its identity; the one it left has the event of the move. */
  const joined = new Map<number, number>()
  for (const event of events) {
    const { cur_data, pre_data } = first(event.data)
    const host = Number((cur_data ?? pre_data)?.bk_host_id)
    const tells = event.name === moved || (event.objType === 'host' && event.action !== 'delete')
    if (tells && Number.isSafeInteger(host) && !causes.has(host)) causes.set(host, event)
    if (event.name === moved && cur_data) joined.set(host, event.businessId)
  }
  const derived = [...causes].map(
    ([host, cause], nth): FeedEvent => ({
      ...cause,
      name: identityEvent,
      objType: identityEvent,
      eventType: 'instdata',
      action: cause.name === moved ? 'update' : cause.action,
      businessId: joined.get(host) ?? cause.businessId,
      index: events.length + nth,
      data: [],
      host,
    }),
  )
  return [...events, ...derived]
}

/**
 * The event with a host's current identity. Undefined if the host was deleted, or, after a rename, if it is now in another business than
 * the renamed or requested one, since its move has its own event.
 */
export async function completed(
  event: FeedEvent,
  identities: Identities | undefined,
  business?: number,
): Promise<FeedEvent | undefined> {
  if (event.host === undefined) return event
  const now = await identities?.identityOf(event.account, event.host)
  if (!now) return undefined
  const { identity, revision } = now
  const sent = { ...event, revision, data: [{ cur_data: identity, pre_data: null }] }
  if (!event.renamed) return sent
  const businessId = businessOf(identity)
  const wanted = business ?? (event.renamed.object === 'plat' ? businessId : event.businessId)
  return businessId === wanted ? { ...sent, businessId } : undefined
}

/** All modules of a host belong to one business. */
const businessOf = ({ associations }: HostIdentity): number => Object.values(associations)[0]?.bk_biz_id ?? 0

/** The body of an event, without the numbers of the subscription. */
export function bodyOf(event: FeedEvent, zone: Zone): EventBody {
  const time = zone.write(event.actionTime)
  return {
    event_type: event.eventType,
    action: event.action,
    action_time: time,
    obj_type: queryIn(event.objType) === undefined ? event.objType : 'customquery',
    data: [...event.data],
    bk_supplier_account: event.account,
    request_id: event.requestId,
    request_time: time,
    txn_id: event.txnId,
    revision: event.revision,
    position: event.position,
    ...(event.reason !== '' && { reason: event.reason }),
  }
}

/** The objects whose records contain events of a kind: records of a business include its built-in sets and modules. */
export function recordedAs(objType: string): string[] {
  if (objType === moved) return ['host']
  if (objType === identityEvent) return ['host', ...identifying]
  return objType === 'set' || objType === 'module' ? [objType, 'biz'] : [objType]
}
