import { Problem, rule } from '@mainline/contract'

/** Why no change at all can be stored. */
export type OutageReason = 'unreachable' | 'readOnly' | 'diskFull' | 'diskFailing'

/** A failure of the storage as a whole, as opposed to one statement. The caller may retry. */
export class StorageOutage extends Problem {
  readonly reason: OutageReason
  override readonly cause: unknown

  constructor(reason: OutageReason, cause: unknown) {
    super('notReady', reason === 'diskFull' || reason === 'diskFailing' ? { rule: rule(reason) } : {})
    this.reason = reason
    this.cause = cause
  }
}
