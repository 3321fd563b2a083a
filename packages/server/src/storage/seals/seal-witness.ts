import type { Seal } from './statement.ts'

/** A place outside of the database that keeps seals, so that a log that was rewritten or cut off differs from it. */
export interface SealWitness {
  /**
   * The newest segment it holds of this log. A witness that cannot be read has no such function, and the database remembers what was
   * sent to it.
   */
  newest?(stored: StoredSeals): Promise<number>
  /** Resolves once the seals are stored there. */
  append(seals: readonly Seal[], signal: AbortSignal): Promise<void>
}

/** The seals of the database, as lines of a witness. */
export interface StoredSeals {
  line(segment: number): Promise<string | undefined>
  /** All of them, by segment. */
  lines(): Promise<ReadonlyMap<number, string>>
}

/** Called with a segment whose witnessed seal the database does not have. */
export type OnFork = (segment: number) => void
