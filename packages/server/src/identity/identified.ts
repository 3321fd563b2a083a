import type { IncomingHttpHeaders } from 'node:http'
import { type AuthMode, isBlank, type Problem, problem, type Rule, rule } from '@mainline/contract'
import type { Caller } from '../http/route.ts'

/** An identified caller. */
export interface Identified {
  readonly user: string
  /** The default account; path or body may name another, unless the caller is confined to this one. */
  readonly account: string
  readonly confined: boolean
  readonly readOnly: boolean
}

export type Identity = Identified & Caller

/** The input of identification: nothing in it is trusted yet. */
export interface UnidentifiedRequest {
  readonly headers: IncomingHttpHeaders
  /** The remote address of the connection, whatever headers claim. */
  readonly peer: string
}

/** Identifies the caller, or throws. */
export type Identify = (request: UnidentifiedRequest) => Identified | Promise<Identified>

export const unauthenticated = (who: AuthMode, how: Rule): Problem => problem('unauthenticated', { who, rule: how })

/** A header may repeat the caller's account, but not name another. */
export function confinedTo(account: string, named: string | undefined): Pick<Identified, 'account' | 'confined'> {
  if (named !== undefined && named !== account) throw otherAccount(account)
  return { account, confined: true }
}

export const otherAccount = (account: string): Problem => problem('denied', { why: rule('otherAccount', { account }) })

export const longestName = 128

/** Whether a name is valid in headers, records and comma lists of users. */
export const isName = (text: unknown): text is string =>
  typeof text === 'string' && !isBlank(text) && text.length <= longestName && !/[\p{Cc}\ufffd]/u.test(text)
