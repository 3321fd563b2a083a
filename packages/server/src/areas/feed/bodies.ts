import type { Emitted, LogRecord, Snapshot } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { type EventAction, identity, moved, partsOf, queryIn } from './names.ts'
import { identifying, identityOfMany, type Renamed } from './renames.ts'

/** Something that subscribers and watchers are told, made from a record of the log. */
export interface FeedEvent {
  readonly name: string
  /** The object it is about, or what it is itself: moduletransfer, hostidentifier, customquery:<id>. */
  readonly objType: string
  readonly eventType: 'instdata' | 'relation'
  readonly action: EventAction
  readonly account: string
  /** 0 outside any business. */
  readonly businessId: number
  /** What it is about, such as set/7. Events about one instance reach a receiver in the order of the log. */
  readonly instance: string
  /** Where its record stands in the log, and which of that record's events it is: the same every time it is read. */
  readonly position: number
  readonly index: number
  /** In milliseconds since 1970. */
  readonly actionTime: number
  readonly requestId: string
  readonly txnId: string
  readonly data: readonly Difference[]
  /** Of a hostidentifier: the host whose identity is looked up when the event is sent. */
  readonly host?: number
  /** Of a hostidentifier that a rename gives. Without a host it stands for those of many, and is expanded before it is sent. */
  readonly renamed?: Renamed
}

export interface Difference {
  readonly cur_data: Snapshot | null
  readonly pre_data: Snapshot | null
}

/** Who a host is, by names, with the modules it is in. */
export interface HostIdentity extends Snapshot {
  readonly associations: Readonly<Record<string, { readonly bk_biz_id: number }>>
}

/** What is known of hosts that events are sent about. */
export interface Identities {
  /** Who a host is now; null once it is gone. */
  identityOf(account: string, hostId: number): Promise<HostIdentity | null>
  /** The hosts whose identity contains the name of an instance, in order of id; of one business, or of all. */
  hostsNamedBy(
    account: string,
    renamed: Renamed,
    business: number | undefined,
    limit: number,
  ): Promise<readonly { readonly host: number; readonly businessId: number }[]>
}

/** The same record is read by every watcher and every subscription: it is taken apart once. */
const takenApart = new WeakMap<LogRecord, readonly FeedEvent[]>()

/** The events of a numbered record, in order. */
export function eventsOf(record: LogRecord): readonly FeedEvent[] {
  const known = takenApart.get(record)
  if (known) return known
  const stored = JSON.parse(record.events) as Emitted[]
  const own = stored.map((each, index) => eventOf(record, each, index))
  const renamed = identityOfMany(own, record)
  const events = renamed ? [...own, renamed] : withIdentities(own)
  takenApart.set(record, events)
  return events
}

export const instanceKey = (object: string, id: number): string => `${object}/${id}`

function eventOf(record: LogRecord, emitted: Emitted, index: number): FeedEvent {
  const difference = differenceOf(record, emitted)
  const { kind, action } = partsOf(emitted.name)
  const about = difference.cur_data ?? difference.pre_data
  return {
    name: emitted.name,
    objType: kind,
    eventType: emitted.name === moved ? 'relation' : 'instdata',
    action: action ?? actionOf(difference),
    account: record.account,
    // A host that moves leaves one business and joins another: each event is of its own.
    businessId: emitted.name === moved ? Number(about?.bk_biz_id ?? record.biz_id) : record.biz_id,
    instance: instanceKey(record.object_id, record.inst_id),
    position: record.position as number,
    index,
    actionTime: record.op_time,
    requestId: record.request_id,
    txnId: record.txn_id,
    data: [difference],
  }
}

/** An event without data of its own is about the record's instance. */
function differenceOf(record: LogRecord, { before, after }: Emitted): Difference {
  if (before !== undefined || after !== undefined) return { cur_data: after ?? null, pre_data: before ?? null }
  const { pre, cur } = JSON.parse(record.content) as { pre: Snapshot | null; cur: Snapshot | null }
  return { cur_data: cur, pre_data: pre }
}

function actionOf({ cur_data, pre_data }: Difference): EventAction {
  if (pre_data === null) return 'create'
  return cur_data === null ? 'delete' : 'update'
}

/** A host that is new, changed or moved has a new identity: one more event for each, after the others. */
function withIdentities(events: readonly FeedEvent[]): FeedEvent[] {
  const causes = new Map<number, FeedEvent>()
  /** Whoever the host has joined is told who it is; whom it left knows by the move. */
  const joined = new Map<number, number>()
  for (const event of events) {
    const [{ cur_data, pre_data }] = event.data as [Difference]
    const host = Number((cur_data ?? pre_data)?.bk_host_id)
    const tells = event.name === moved || (event.objType === 'host' && event.action !== 'delete')
    if (tells && Number.isSafeInteger(host) && !causes.has(host)) causes.set(host, event)
    if (event.name === moved && cur_data) joined.set(host, event.businessId)
  }
  const derived = [...causes].map(
    ([host, cause], nth): FeedEvent => ({
      ...cause,
      name: identity,
      objType: identity,
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
 * The event as it is sent: a host's identity is what it is now. Undefined when the host is gone; or, after a rename, when it is in
 * another business by now than the one renamed or the one asked for: its move has an event of its own.
 */
export async function completed(
  event: FeedEvent,
  identities: Identities | undefined,
  business?: number,
): Promise<FeedEvent | undefined> {
  if (event.host === undefined) return event
  const now = await identities?.identityOf(event.account, event.host)
  if (!now) return undefined
  const data = [{ cur_data: now, pre_data: null }]
  if (!event.renamed) return { ...event, data }
  const businessId = businessOf(now)
  const wanted = business ?? (event.renamed.object === 'plat' ? businessId : event.businessId)
  return businessId === wanted ? { ...event, businessId, data } : undefined
}

/** A host is in one business, however many of its modules it is in. */
const businessOf = ({ associations }: HostIdentity): number => Object.values(associations)[0]?.bk_biz_id ?? 0

/** What a receiver is sent, but for the numbers that are its subscription's. */
export function bodyOf(event: FeedEvent, zone: Zone) {
  const time = zone.write(event.actionTime)
  return {
    event_type: event.eventType,
    action: event.action,
    action_time: time,
    obj_type: queryIn(event.objType) === undefined ? event.objType : 'customquery',
    data: event.data,
    bk_supplier_account: event.account,
    request_id: event.requestId,
    request_time: time,
    txn_id: event.txnId,
  }
}

/** The objects among whose records events of a kind are found: a business also tells of what is built into it. */
export function recordedAs(objType: string): string[] {
  if (objType === moved) return ['host']
  if (objType === identity) return ['host', ...identifying]
  return objType === 'set' || objType === 'module' ? [objType, 'biz'] : [objType]
}
