import type { OperationType } from '@mainline/contract'

export type Snapshot = Record<string, unknown>

export interface ChangeRecord {
  readonly operation: OperationType
  readonly object: string
  readonly instance: number
  /** The public id of its business; 0 outside any. */
  readonly business: number
  /** A fixed English phrase; translated when it is read. */
  readonly description: string
  /** The new revision of the instance; 0 for instances without one. */
  readonly revision: number
  readonly before: Snapshot | null
  readonly after: Snapshot | null
  /** What the stored rows have beside what the snapshots show, so that the log gives the stored state back exactly. */
  readonly unshown?: Unshown
  /** Positions of the records that it undoes. */
  readonly undoes?: readonly number[]
  /** A search key of the record: the inner IP of a host. */
  readonly key?: string
  /** The events of the record. By default one event, about this instance. */
  readonly events?: readonly Emitted[]
}

/** Kept with the record, and in no event. */
export interface Unshown {
  readonly before?: Snapshot
  readonly after?: Snapshot
}

/** An event; without data of its own it is about the record's instance. */
export interface Emitted {
  readonly name: string
  readonly before?: Snapshot | null
  readonly after?: Snapshot | null
  /** For an instance other than the record's. */
  readonly revision?: number
  readonly unshown?: Unshown
  /** Objects that its receivers must be allowed to search, besides its own. */
  readonly searched?: readonly string[]
}
