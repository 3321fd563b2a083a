import { rule } from '@mainline/contract'
import type { FastifyInstance } from 'fastify'
import type { ServeConfig } from '../../config.ts'
import type { Storage } from '../../storage/index.ts'
import { Brake } from './brake.ts'
import { type ClaimConfig, personIn } from './claims.ts'
import { cookieIn } from './cookies.ts'
import { accountIn, bearerIn } from './headers.ts'
import { type Asking, confinedTo, type Identify, nobody } from './identified.ts'
import { cookiesOf, serveLogin } from './login.ts'
import { Provider, type ProviderConfig } from './provider.ts'
import { openSessions, type SignedIn } from './sessions.ts'

export type OidcConfig = ProviderConfig & ClaimConfig & Pick<ServeConfig, 'oidcAudience' | 'url' | 'proxies'>

/** Programs show a token of the provider, browsers the session that a login began. */
export function oidcIdentity(config: OidcConfig, storage: Storage) {
  const brake = new Brake(config.proxies)
  const provider = new Provider(config)
  const sessions = openSessions(storage)
  const { session } = cookiesOf(config.url)

  const identify: Identify = async (asking) => {
    const found = await personOf(asking)
    if (!found) throw nobody('oidc', rule('sendBearer', { what: 'JWT' }))
    return { user: found.user, ...confinedTo(found.account, accountIn(asking.headers)), readOnly: false }
  }

  function personOf(asking: Asking): Promise<SignedIn | undefined> | undefined {
    const { headers } = asking
    const jwt = bearerIn(headers)
    if (jwt !== undefined) return brake.try(asking, jwt, () => judge(jwt))
    const key = cookieIn(headers, session)
    // A session that has ended is nobody's guess.
    return key === undefined ? undefined : brake.try(asking, key, async () => (await sessions.find(key)) ?? 'lapsed')
  }

  async function judge(jwt: string) {
    if (config.oidcAudience === '') return 'lapsed'
    const claims = await provider.verify(jwt, config.oidcAudience)
    return typeof claims === 'string' ? claims : (personIn(claims, config) ?? 'lapsed')
  }

  const serve = (app: FastifyInstance) => serveLogin(app, { config, provider, sessions, brake })
  return { identify, ...(config.oidcClientId !== '' && { serve }) }
}
