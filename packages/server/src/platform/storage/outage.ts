import { Problem, rule } from '@mainline/contract'

/** Why no change can be stored, whichever statement was tried. */
export type OutageReason = 'unreachable' | 'readOnly' | 'diskFull' | 'diskFailing'

/** A failure of the storage as a whole, as opposed to one of a single statement. The caller may send the request again. */
export class StorageOutage extends Problem {
  readonly reason: OutageReason
  override readonly cause: unknown

  constructor(reason: OutageReason, cause: unknown) {
    super('notReady', reason === 'diskFull' || reason === 'diskFailing' ? { rule: rule(reason) } : {})
    this.reason = reason
    this.cause = cause
  }
}
