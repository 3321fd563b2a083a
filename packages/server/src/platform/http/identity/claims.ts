import type { JWTPayload } from 'jose'
import type { ServeConfig } from '../../config.ts'
import { defaultAccount } from './headers.ts'
import { isName } from './identified.ts'
import type { SignedIn } from './sessions.ts'

export type ClaimConfig = Pick<ServeConfig, 'oidcUserClaim' | 'oidcAccountClaim'>

/** Who the claims speak of; undefined where they do not name a user, or an account where they should. */
export function personIn(claims: JWTPayload, { oidcUserClaim, oidcAccountClaim }: ClaimConfig): SignedIn | undefined {
  const user = oidcUserClaim.map((claim) => claims[claim]).find((value) => value !== undefined)
  const account = oidcAccountClaim === '' ? defaultAccount : claims[oidcAccountClaim]
  return isName(user) && isName(account) ? { user, account } : undefined
}
