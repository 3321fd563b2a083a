import { rule } from '@mainline/contract'
import { isAmong } from '../common/networks.ts'
import type { Network } from '../outbound/address.ts'
import { accountIn, defaultAccount, userIn } from './headers.ts'
import { confinedTo, type Identify, unauthenticated } from './identified.ts'

/**
 * Trusts the identity headers of the configured proxies only. They are recognised by the address of the connection, because
 * `X-Forwarded-For` can be forged.
 */
export function proxyIdentity(proxies: readonly Network[]): Identify {
  return ({ headers, peer }) => {
    const user = isAmong(peer, proxies) ? userIn(headers) : undefined
    if (user === undefined) throw unauthenticated('proxy', rule('behindProxy'))
    const account = accountIn(headers) ?? defaultAccount
    return { user, ...confinedTo(account, account), readOnly: false }
  }
}
