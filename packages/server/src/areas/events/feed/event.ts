import type { Snapshot } from '../../../storage/index.ts'
import type { EventAction } from './names.ts'

/** An event for subscribers and watchers, derived from a record of the log. */
export interface FeedEvent {
  readonly name: string
  /** The object that it is about, or a kind without an object: moduletransfer, hostidentifier, customquery:<id>. */
  readonly objType: string
  readonly eventType: 'instdata' | 'relation'
  readonly action: EventAction
  readonly account: string
  /** 0 outside any business. */
  readonly businessId: number
  /** The instance, such as set/7. Events about one instance reach a receiver in the order of the log. */
  readonly instance: string
  /** Position of its record, and index among the events of that record: the same whenever the record is read. */
  readonly position: number
  readonly index: number
  /** Milliseconds since 1970. */
  readonly actionTime: number
  readonly requestId: string
  /** The change, and the index of its record within the change. */
  readonly txnId: string
  /** The revision of the instance after the change; 0 if unknown. */
  readonly revision: number
  /** The reason of the change as given by the caller; '' for none. */
  readonly reason: string
  readonly ordinal: number
  readonly data: readonly Difference[]
  /** Objects that its receivers must be allowed to search, besides its own. */
  readonly searched?: readonly string[]
  /** For a hostidentifier: the host whose identity is read when the event is sent. */
  readonly host?: number
  /** For a hostidentifier caused by a rename. Without a host it represents those of many hosts, and is expanded before it is sent. */
  readonly renamed?: Renamed
}

export interface Difference {
  readonly cur_data: Snapshot | null
  readonly pre_data: Snapshot | null
}

/** A host's identity: its addresses, and the names of the modules it is in. */
export interface HostIdentity extends Snapshot {
  readonly associations: Readonly<Record<string, { readonly bk_biz_id: number }>>
}

/** How events read the identities of hosts. */
export interface Identities {
  /** The current identity of a host and its revision; null if the host was deleted. */
  identityOf(
    account: string,
    hostId: number,
  ): Promise<{ readonly identity: HostIdentity; readonly revision: number } | null>
  /** The hosts whose identity contains the name of an instance, ordered by id; of one business, or of all. */
  hostsNamedBy(
    account: string,
    renamed: Renamed,
    business: number | undefined,
    limit: number,
  ): Promise<readonly { readonly host: number; readonly businessId: number }[]>
}

/** The renamed instance; hosts up to `afterHost` have been read already. */
export interface Renamed {
  readonly object: string
  readonly instance: number
  readonly afterHost: number
}

export const instanceKey = (object: string, id: number): string => `${object}/${id}`
