import { rule } from '@mainline/contract'
import type { FastifyInstance } from 'fastify'
import type { ServeConfig } from '../../common/config.ts'
import type { Storage } from '../../storage/index.ts'
import { AuthThrottle } from '../auth-throttle.ts'
import { accountIn, bearerIn } from '../headers.ts'
import { confinedTo, type Identify, type UnidentifiedRequest, unauthenticated } from '../identified.ts'
import { cookieIn } from '../sessions/cookies.ts'
import { openSessions, type SignedIn } from '../sessions/sessions.ts'
import { type ClaimConfig, personIn } from './claims.ts'
import { cookiesOf, serveLogin } from './login.ts'
import { type Granted, Provider, type ProviderConfig } from './provider.ts'

export type OidcConfig = ProviderConfig & ClaimConfig & Pick<ServeConfig, 'oidcAudience' | 'url' | 'proxies'>

/** Programs send a token of the provider, browsers the cookie of a session. */
export function oidcIdentity(config: OidcConfig, storage: Storage) {
  const throttle = new AuthThrottle(config.proxies)
  const provider = new Provider(config)
  const sessions = openSessions(storage)
  const { session } = cookiesOf(config.url)

  const identify: Identify = async (request) => {
    const found = await personOf(request)
    if (!found) throw unauthenticated('oidc', rule('sendBearer', { what: 'JWT' }))
    return { user: found.user, ...confinedTo(found.account, accountIn(request.headers)), readOnly: false }
  }

  function personOf(request: UnidentifiedRequest): Promise<SignedIn | undefined> | undefined {
    const { headers } = request
    const jwt = bearerIn(headers)
    if (jwt !== undefined) return throttle.try(request, () => judge(jwt))
    const key = cookieIn(headers, session)
    // An ended session is not counted as a failed attempt.
    return key === undefined ? undefined : throttle.try(request, async () => (await sessionOf(key)) ?? 'lapsed')
  }

  /** One request renews the session at the provider; concurrent ones use the previous identity. */
  async function sessionOf(key: string): Promise<SignedIn | undefined> {
    const session = await sessions.find(key)
    if (!session?.due) return session
    const { renewAt, refreshToken } = session.due
    if (!(await sessions.claimRenewal(key, renewAt))) return (await sessions.find(key)) && session
    try {
      const granted = await provider.refresh(refreshToken)
      if (typeof granted !== 'string' && isStill(session, granted)) {
        await sessions.renew(key, granted.vouched)
        return session
      }
    } catch (error) {
      await sessions.postponeRenewal(key, renewAt)
      throw error
    }
    await sessions.end(key)
    return undefined
  }

  function isStill({ user, account }: SignedIn, { claims }: Granted): boolean {
    if (!claims) return true
    const person = personIn(claims, config)
    return person?.user === user && person.account === account
  }

  async function judge(jwt: string) {
    if (config.oidcAudience === '') return 'lapsed'
    const claims = await provider.verify(jwt, config.oidcAudience)
    return typeof claims === 'string' ? claims : (personIn(claims, config) ?? 'lapsed')
  }

  const serve = (app: FastifyInstance) => serveLogin(app, { config, provider, sessions })
  return { identify, ...(config.oidcClientId !== '' && { serve }) }
}
