import type { Counter, Portion } from './snapshot.ts'

/** Bulk loading of rows into a new store; one implementation per engine. */
export interface Loading {
  /** Drops foreign keys and indexes, because rows refer to each other and indexes slow down loading. */
  begin(): Promise<void>
  insert(portion: Portion): Promise<void>
  /** Sets sequences, so that ids that were drawn before are not drawn again. */
  raise(counters: readonly Counter[]): Promise<void>
  /** Recreates them; fails if a row refers to a missing one. */
  finish(): Promise<void>
}
