import type { Counter, Portion } from './still.ts'

/** How a new store takes in rows that were written elsewhere: what each engine does in its own way. */
export interface Loading {
  /** Takes away what gets in the way of rows that refer to each other, or would only slow them down. */
  begin(): Promise<void>
  insert(portion: Portion): Promise<void>
  /** Nothing that was drawn before is drawn again. */
  raise(counters: readonly Counter[]): Promise<void>
  /** Puts back what was taken away; fails when a row refers to one that is not there. */
  finish(): Promise<void>
}
