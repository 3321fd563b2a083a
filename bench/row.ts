import type { Finding } from './report.ts'
import type { EngineName } from './store.ts'

/** How long and how often; the short form only tells a collapse from no collapse. */
export interface Plan {
  readonly repetitions: number
  readonly milliseconds: number
  readonly warmUp: number
  /** How many sets are searched. */
  readonly sets: number
  /** How many nodes the tree has. */
  readonly nodes: number
  /** How many sets a level is inserted above; 0 leaves that out. */
  readonly moved: number
  /** Two sizes of an estate between which searches are compared; absent leaves that out. */
  readonly growth?: readonly [small: number, large: number]
  /** How many events wait to be sent. */
  readonly events: number
  /** Size of the estate a server is started on, and how often it is. */
  readonly hosts: number
  readonly starts: number
}

/** Many short turns, so that a few in which the disk or a neighbour stalls do not reach the median. */
export const fullPlan: Plan = {
  repetitions: 7,
  milliseconds: 1_500,
  warmUp: 3_000,
  sets: 5_000,
  nodes: 10_000,
  moved: 100_000,
  growth: [10_000, 1_000_000],
  events: 120_000,
  hosts: 100_000,
  starts: 5,
}
export const shortPlan: Plan = {
  repetitions: 3,
  milliseconds: 250,
  warmUp: 500,
  sets: 1_000,
  nodes: 2_000,
  moved: 0,
  events: 10_000,
  hosts: 1_000,
  starts: 1,
}

/** What a row is told. */
export interface Circumstances {
  readonly engine: EngineName
  readonly plan: Plan
  /** Of the maintenance database; '' when PostgreSQL is not asked for. */
  readonly postgresUrl: string
  /** Where the servers' profiles go, when they are wanted. */
  readonly profiles: string | undefined
}

/** A row of the table; it may find several things in one go. */
export interface Row {
  readonly name: string
  run(circumstances: Circumstances): Promise<Finding[]>
}
