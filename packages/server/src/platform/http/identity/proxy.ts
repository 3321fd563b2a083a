import { rule } from '@mainline/contract'
import { isAmong } from '../../networks.ts'
import type { Network } from '../../outbound/address.ts'
import { accountIn, defaultAccount, userIn } from './headers.ts'
import { confinedTo, type Identify, nobody } from './identified.ts'

/**
 * Believes the identity headers of the proxies, and of nobody else. Who is at the other end is told by the connection;
 * what `X-Forwarded-For` says, anybody may have written.
 */
export function proxyIdentity(proxies: readonly Network[]): Identify {
  return ({ headers, peer }) => {
    const user = isAmong(peer, proxies) ? userIn(headers) : undefined
    if (user === undefined) throw nobody('proxy', rule('behindProxy'))
    const account = accountIn(headers) ?? defaultAccount
    return { user, ...confinedTo(account, account), readOnly: false }
  }
}
