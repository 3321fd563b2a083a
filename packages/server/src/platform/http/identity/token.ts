import { rule } from '@mainline/contract'
import type { Network } from '../../outbound/address.ts'
import type { Storage } from '../../storage/index.ts'
import { Brake, type Verdict } from './brake.ts'
import { accountIn, bearerIn } from './headers.ts'
import { confinedTo, type Identified, type Identify, nobody } from './identified.ts'
import { findToken } from './tokens.ts'
import type { Uses } from './uses.ts'

/** Callers show a token that `mainline token create` has made. Every refusal reads the same, whatever the reason. */
export function tokenIdentity({ read }: Pick<Storage, 'read'>, uses: Uses, proxies: readonly Network[]): Identify {
  const brake = new Brake(proxies)
  return async (asking) => {
    const { headers } = asking
    const text = bearerIn(headers)
    const found = text === undefined ? undefined : await brake.try(asking, text, () => judge(text))
    if (!found) throw nobody('token', rule('sendBearer', { what: 'token' }))
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
