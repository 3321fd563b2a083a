import type { JWTPayload } from 'jose'
import type { ServeConfig } from '../../common/config.ts'
import { defaultAccount } from '../headers.ts'
import { isName } from '../identified.ts'
import type { SignedIn } from '../sessions/sessions.ts'

export type ClaimConfig = Pick<ServeConfig, 'oidcUserClaim' | 'oidcAccountClaim'>

/** The user (and account) in the claims; undefined if a required claim is missing. */
export function personIn(claims: JWTPayload, { oidcUserClaim, oidcAccountClaim }: ClaimConfig): SignedIn | undefined {
  const user = oidcUserClaim.map((claim) => claims[claim]).find((value) => value !== undefined)
  const account = oidcAccountClaim === '' ? defaultAccount : claims[oidcAccountClaim]
  return isName(user) && isName(account) ? { user, account } : undefined
}
