// The requests of clients and their answers: the evidence that the checker uses.

export type Outcome = 'acknowledged' | 'refused' | 'unknown'

/** The expected result of an acknowledged change in the log. Deleted instances have no values. */
export interface Effect {
  readonly kind: 'made' | 'changed' | 'gone'
  readonly object: string
  readonly instance?: number
  readonly values?: Readonly<Record<string, unknown>>
}

export interface Call {
  /** Its request id, which the log stores with every record. */
  readonly id: string
  readonly what: string
  /** On the clients' clock, in milliseconds; for requests without an answer, the time of giving up. */
  readonly started: number
  readonly ended: number
  readonly outcome: Outcome
  readonly code: number
  /** The business whose tree shows it. */
  readonly business?: number
  readonly effects: readonly Effect[]
  /** Refused for a missing privilege, or because it needs an attribute that does not exist. */
  readonly forbidden?: boolean
  /** An error that must not occur: the attribute that it sets exists. */
  readonly never?: number
  /** The user, if privileges change: the change must not be behind the revocation in the log. */
  readonly user?: string
}

/** The only grant of a privilege to a user: granted by one request, revoked by the other. */
export interface Grant {
  readonly user: string
  readonly granted: string
  readonly revoked: string
}

/** A tree that was read: the sets it shows. */
export interface Look {
  readonly started: number
  readonly ended: number
  readonly business: number
  readonly sets: ReadonlySet<number>
}

/** A counter that leaves no record, and the steps requested of it. */
export interface Tally {
  readonly id: string
  acknowledged: number
  unknown: number
  deletion: Outcome | undefined
  /** Its owner got "not found" without having deleted it. */
  isMissed: boolean
}

export interface History {
  readonly calls: Call[]
  readonly looks: Look[]
  readonly tallies: Tally[]
  readonly grants: Grant[]
}

export const emptyHistory = (): History => ({ calls: [], looks: [], tallies: [], grants: [] })
