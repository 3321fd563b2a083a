import type { Finding } from './report.ts'
import type { EngineName } from './store.ts'

/** Duration and number of repetitions; the short form only detects a collapse. */
export interface Plan {
  readonly repetitions: number
  readonly milliseconds: number
  readonly warmUp: number
  /** Number of sets to search. */
  readonly sets: number
  /** Number of nodes in the tree. */
  readonly nodes: number
  /** Number of sets a level is inserted above; 0 skips this row. */
  readonly moved: number
  /** Two sizes of an estate between which searches are compared; absent skips this row. */
  readonly growth?: readonly [small: number, large: number]
  /** Number of events waiting to be sent. */
  readonly events: number
  /** Number of open event streams. */
  readonly streams: readonly number[]
  /** Size of the estate that a server is started on, and number of starts. */
  readonly hosts: number
  readonly starts: number
}

/** Many short turns, so that the few in which the disk or another process stalls do not affect the median. */
export const fullPlan: Plan = {
  repetitions: 7,
  milliseconds: 1_500,
  warmUp: 3_000,
  sets: 5_000,
  nodes: 10_000,
  moved: 100_000,
  growth: [10_000, 1_000_000],
  events: 120_000,
  streams: [1_000, 5_000],
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
  streams: [200],
  hosts: 1_000,
  starts: 1,
}

/** The parameters of a row. */
export interface Circumstances {
  readonly engine: EngineName
  readonly plan: Plan
  /** Address of the maintenance database; '' without PostgreSQL. */
  readonly postgresUrl: string
  /** The folder for CPU profiles of the servers, if requested. */
  readonly profiles: string | undefined
}

/** A row of the table; it may have several findings. */
export interface Row {
  readonly name: string
  run(circumstances: Circumstances): Promise<Finding[]>
}
