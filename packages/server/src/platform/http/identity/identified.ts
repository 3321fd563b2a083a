import type { IncomingHttpHeaders } from 'node:http'
import { type AuthMode, type Problem, problem, type Rule, rule } from '@mainline/contract'
import type { Caller } from '../route.ts'

/** What is known of a caller once it is known who it is. */
export interface Identified {
  readonly user: string
  /** The path or the body may name another, unless the caller is confined to this one. */
  readonly account: string
  readonly confined: boolean
  readonly readOnly: boolean
}

export type Identity = Identified & Caller

/** What is told of a request before anything in it is believed. */
export interface Asking {
  readonly headers: IncomingHttpHeaders
  /** The address at the other end of the connection, whatever headers say. */
  readonly peer: string
}

/** Says who calls, or refuses. */
export type Identify = (asking: Asking) => Identified | Promise<Identified>

export const nobody = (who: AuthMode, how: Rule): Problem => problem('unauthenticated', { who, rule: how })

/** A header may repeat the caller's own account, and name no other. */
export function confinedTo(account: string, named: string | undefined): Pick<Identified, 'account' | 'confined'> {
  if (named !== undefined && named !== account) throw otherAccount(account)
  return { account, confined: true }
}

export const otherAccount = (account: string): Problem => problem('denied', { why: rule('otherAccount', { account }) })

const longestName = 128

/** A name that can stand in a header, a record and a comma list of users. */
export const isName = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= longestName && !/[\p{Cc}\ufffd]/u.test(text)
