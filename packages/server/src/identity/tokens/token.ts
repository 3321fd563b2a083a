import { rule } from '@mainline/contract'
import type { Network } from '../../outbound/address.ts'
import type { Storage } from '../../storage/index.ts'
import { AuthThrottle, type Verdict } from '../auth-throttle.ts'
import { accountIn, bearerIn } from '../headers.ts'
import { confinedTo, type Identified, type Identify, unauthenticated } from '../identified.ts'
import { findToken } from './tokens.ts'
import type { Uses } from './uses.ts'

/** Callers send a token made by `mainline token create`. All refusals read the same, so that they reveal nothing. */
export function tokenIdentity({ read }: Pick<Storage, 'read'>, uses: Uses, proxies: readonly Network[]): Identify {
  const throttle = new AuthThrottle(proxies)
  return async (request) => {
    const { headers } = request
    const text = bearerIn(headers)
    const found = text === undefined ? undefined : await throttle.try(request, () => judge(text))
    if (!found) throw unauthenticated('token', rule('sendBearer', { what: 'token' }))
    return { ...found, ...confinedTo(found.account, accountIn(headers)) }
  }

  async function judge(text: string): Promise<Verdict<Identified>> {
    const token = await findToken(read, text)
    if (!token) return 'wrong'
    const now = Date.now()
    if (token.revoked !== null || (token.expires !== null && token.expires <= now)) return 'lapsed'
    uses.note(token.id, now)
    return { user: token.user_name, account: token.account, confined: true, readOnly: token.read_only === 1 }
  }
}
