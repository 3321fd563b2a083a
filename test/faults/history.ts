// What clients asked for and what they were told: the evidence that the checker judges by.

export type Outcome = 'acknowledged' | 'refused' | 'unknown'

/** What an acknowledged change must have left in the log. Of what is gone there are no values. */
export interface Effect {
  readonly kind: 'made' | 'changed' | 'gone'
  readonly object: string
  readonly instance?: number
  readonly values?: Readonly<Record<string, unknown>>
}

export interface Call {
  /** The request id it was sent under. The log keeps it with every record. */
  readonly id: string
  readonly what: string
  /** On the clock of the clients, in milliseconds; of what was never answered, when they gave up. */
  readonly started: number
  readonly ended: number
  readonly outcome: Outcome
  readonly code: number
  /** The business whose tree it shows in. */
  readonly business?: number
  readonly effects: readonly Effect[]
  /** The caller may not do it, or it needs an attribute that does not exist. */
  readonly forbidden?: boolean
  /** An error that it must not be answered with: the attribute that it sets does exist. */
  readonly never?: number
  /** The user, where grants may come and go: what it did must not be behind the revocation in the log. */
  readonly user?: string
}

/** A right that a user holds by this alone: granted by one request, revoked by the other. */
export interface Grant {
  readonly user: string
  readonly granted: string
  readonly revoked: string
}

/** A tree that was read: which sets it shows. */
export interface Look {
  readonly started: number
  readonly ended: number
  readonly business: number
  readonly sets: ReadonlySet<number>
}

/** Something that is counted and leaves no record: what was asked of it. */
export interface Tally {
  readonly id: string
  acknowledged: number
  unknown: number
  deletion: Outcome | undefined
  /** Its owner was told that it is not there, without having deleted it. */
  isMissed: boolean
}

export interface History {
  readonly calls: Call[]
  readonly looks: Look[]
  readonly tallies: Tally[]
  readonly grants: Grant[]
}

export const emptyHistory = (): History => ({ calls: [], looks: [], tallies: [], grants: [] })
