// The name of a business, set, module or cloud area is part of the identity of every host in it. A rename is one log record that
// results in one hostidentifier per host. There may be 100,000 of them, so they are neither stored nor held in memory together:
// the record gives one event that represents all of them, and readers expand it page by page.
import type { LogRecord } from '../../../storage/index.ts'
import { nameField } from '../../model/index.ts'
import { type FeedEvent, type Identities, instanceKey, type Renamed } from './event.ts'
import { identity } from './names.ts'

/** Objects whose names are part of a host's identity. */
export const identifying = ['biz', 'set', 'module', 'plat']

/** The event that represents the hostidentifier of every host affected by a rename; undefined for other records. */
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

/** Whether an event may concern a business; a cloud area can have hosts of any business. */
export const mayConcern = ({ renamed, businessId }: FeedEvent, business: number): boolean =>
  renamed?.object === 'plat' || businessId === business

/** Hosts per page. */
const hostsPerPage = 1_000

export interface Expanded {
  readonly events: readonly FeedEvent[]
  /** The event that represents the remaining hosts. */
  readonly rest: FeedEvent | undefined
}

/** The next page of the events that one represents, in one business or in all. */
export async function expand(
  event: OfMany,
  identities: Identities | undefined,
  business: number | undefined,
  limit = hostsPerPage,
): Promise<Expanded> {
  const { renamed } = event
  const hosts = (await identities?.hostsNamedBy(event.account, renamed, business, limit)) ?? []
  const last = hosts.at(-1)
  return {
    events: hosts.map(({ host, businessId }) => ({ ...withHost(event, host), businessId })),
    rest: last && hosts.length === limit ? { ...event, renamed: { ...renamed, afterHost: last.host } } : undefined,
  }
}

/** Host ids never change, so a host's event has the same index and webhook-id in every expansion. */
export const withHost = (event: FeedEvent, host: number): FeedEvent => ({
  ...event,
  instance: instanceKey('host', host),
  index: event.index + host,
  host,
})

/** An event that represents those of many hosts. */
export type OfMany = FeedEvent & { readonly renamed: Renamed }

export const isOfMany = (event: FeedEvent | undefined): event is OfMany =>
  event?.renamed !== undefined && event.host === undefined
