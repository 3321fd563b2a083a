import type { Reader } from '../handles.ts'
import type { IdempotentRequest } from './idempotency.ts'

/** The privileges that a request needs, judged again in its change: they may have been revoked since it was judged first. */
export interface Authorization {
  /** Whether it must be complete before the work begins. Otherwise its only statement is sent before those of the work. */
  readonly isFirst: boolean
  expectAllowed(reader: Reader): Promise<unknown>
}

/** The user of changes by the service itself: empty, which no caller's name can be. */
export const systemUser = 'system'

/** The author of a change, with its request and its conditions. */
export interface Actor {
  readonly user: string
  readonly account: string
  readonly requestId: string
  /** The reason in the caller's words (`X-Change-Reason`). */
  readonly reason?: string
  /** The required revision of the instance (`If-Match`). */
  readonly expectedRevision?: number
  /** Makes the request repeatable: a repetition gets the stored result (`Idempotency-Key`). */
  readonly idempotent?: IdempotentRequest
  /** Absent where no privilege is needed that can be revoked. */
  readonly authorization?: Authorization
}
