// The name of a business, set, module or cloud area is part of the identity of every host there. A rename is one record of
// the log, and gives one hostidentifier for each of those hosts. They may be 100,000, so they are neither stored nor made
// all together: the record gives one event that stands for all of them, and readers expand it page by page.
import type { LogRecord } from '../../platform/storage/index.ts'
import { nameField } from '../model/index.ts'
import { type FeedEvent, type Identities, instanceKey } from './bodies.ts'
import { identity } from './names.ts'

/** Objects whose names are part of a host's identity. */
export const identifying = ['biz', 'set', 'module', 'plat']

/** What was renamed, and the hosts that have been read already: those up to `afterHost`. */
export interface Renamed {
  readonly object: string
  readonly instance: number
  readonly afterHost: number
}

/** One event that stands for the hostidentifier of every host that a rename concerns; undefined for anything but a rename. */
export function identityOfMany(events: readonly FeedEvent[], { object_id, inst_id }: LogRecord): FeedEvent | undefined {
  if (!identifying.includes(object_id)) return undefined
  const cause = events.find(({ objType, action }) => objType === object_id && action === 'update')
  const [difference] = cause?.data ?? []
  const name = nameField(object_id)
  if (!cause || difference?.pre_data?.[name] === difference?.cur_data?.[name]) return undefined
  return {
    ...cause,
    name: identity,
    objType: identity,
    index: events.length,
    data: [],
    renamed: { object: object_id, instance: inst_id, afterHost: 0 },
  }
}

/** Whether an event may be of a business. Hosts of any business can be in a cloud area. */
export const mayConcern = ({ renamed, businessId }: FeedEvent, business: number): boolean =>
  renamed?.object === 'plat' || businessId === business

/** Hosts that are read together. */
const hostsAtOnce = 1_000

export interface Expanded {
  readonly events: readonly FeedEvent[]
  /** What stands for the hosts that are left. */
  readonly rest: FeedEvent | undefined
}

/** The next page of the events that one stands for, of one business or of all. */
export async function expand(
  event: OfMany,
  identities: Identities | undefined,
  business: number | undefined,
  limit = hostsAtOnce,
): Promise<Expanded> {
  const { renamed } = event
  const hosts = (await identities?.hostsNamedBy(event.account, renamed, business, limit)) ?? []
  const last = hosts.at(-1)
  return {
    events: hosts.map(({ host, businessId }) => ({ ...withHost(event, host), businessId })),
    rest: last && hosts.length === limit ? { ...event, renamed: { ...renamed, afterHost: last.host } } : undefined,
  }
}

/** Hosts keep their ids for good, so the event of a host has the same number, and webhook-id, whenever it is expanded. */
export const withHost = (event: FeedEvent, host: number): FeedEvent => ({
  ...event,
  instance: instanceKey('host', host),
  index: event.index + host,
  host,
})

/** An event that stands for those of many hosts. */
export type OfMany = FeedEvent & { readonly renamed: Renamed }

export const isOfMany = (event: FeedEvent | undefined): event is OfMany =>
  event?.renamed !== undefined && event.host === undefined
