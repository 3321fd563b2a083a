import type { Allow } from '@mainline/contract'
import type { Authorization } from '../../storage/index.ts'
import type { Caller, Route } from '../route.ts'

/** What operations need from the areas; passed in, because http must not import any of them. */
export interface RequestGuards {
  /** Refuses a caller without the privileges that the endpoint requires. `body` is not validated yet. */
  guard(actor: Caller, allow: Allow, params: Record<string, unknown>, body: unknown): Promise<unknown> | undefined
  /** The same inside of the change that the request makes, by the grants of that moment. Undefined where no privilege can be revoked. */
  guardInChange(actor: Caller, allow: Allow, params: Record<string, unknown>, body: unknown): Authorization | undefined
  /** Creates the account on its first use. */
  openAccount(account: string): Promise<void> | undefined
  /** Whether the result of a request is stored under its Idempotency-Key; without a hash, that of any request of the caller. */
  hasStoredResult(caller: Caller, key: string, hash?: string): Promise<boolean>
  /** The operations as of a moment, for those that read the past. */
  openPast(account: string, text: string): Promise<PastRoutes>
}

export interface PastRoutes {
  readonly routes: readonly Route[]
  /** The position and the time that are read. */
  readonly header: string
  /** After the answer: refuses it if it was read while the past was being derived anew. */
  confirm(): Promise<void>
}
