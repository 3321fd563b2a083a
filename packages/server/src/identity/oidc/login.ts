import { hash, randomBytes } from 'node:crypto'
import { problem, rule, succeeded } from '@mainline/contract'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { FairSlots } from '../../common/concurrency/fair-slots.ts'
import type { ServeConfig } from '../../common/config.ts'
import { refuseCrossSiteRequests } from '../../http/cross-site-guard.ts'
import { clientAddress } from '../auth-throttle.ts'
import { cookieIn, cookieName, writeCookie } from '../sessions/cookies.ts'
import { type Sessions, sessionSeconds } from '../sessions/sessions.ts'
import { type ClaimConfig, personIn } from './claims.ts'
import type { Provider } from './provider.ts'

/** Time limit for signing in at the provider. */
const loginSeconds = 600

/**
 * Codes are verified by the provider, so concurrency is limited, fair among addresses. Addresses are not throttled: a browser cannot be
 * distinguished from an attacker at the same address who sends invalid codes.
 */
const exchangeLimits = { maxRunning: 20, maxRunningPerCaller: 5, maxWaiting: 1_000, maxWaitingPerCaller: 200 }

/** Of a browser: parameters may be sent twice. */
interface Asked {
  readonly Querystring: Readonly<Record<string, unknown>>
}

interface LoginParts {
  readonly config: ClaimConfig & Pick<ServeConfig, 'url' | 'proxies'>
  readonly provider: Provider
  readonly sessions: Sessions
}

/** Cookie names depend on whether browsers use HTTPS. */
export function cookiesOf(url: string) {
  const secure = url.startsWith('https:')
  return { session: cookieName('mainline', secure), login: cookieName('mainline_login', secure), secure }
}

/** Browser sign-in: authorization code flow with PKCE. */
export function serveLogin(app: FastifyInstance, { config, provider, sessions }: LoginParts): void {
  const { session, login, secure } = cookiesOf(config.url)
  const redirectUri = `${config.url}/login/callback`
  const exchanges = new FairSlots(exchangeLimits)
  const keep = (name: string, value: string, maxAgeSeconds: number) =>
    writeCookie(name, value, { secure, maxAgeSeconds })

  app.get<Asked>('/login', async (request, reply) => {
    const { to } = request.query
    const secret = randomBytes(32).toString('base64url')
    const { state, nonce, verifier } = partsOf(secret)
    const url = await provider.authorizationUrl({
      redirect_uri: redirectUri,
      state,
      nonce,
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
    })
    const kept = `${secret}.${Buffer.from(withinHere(to)).toString('base64url')}`
    return reply
      .header('set-cookie', keep(login, kept, loginSeconds))
      .header('cache-control', 'no-store')
      .redirect(url)
  })

  app.get<Asked>('/login/callback', async (request, reply) => {
    const { code, state } = request.query
    const [secret = '', to = ''] = (cookieIn(request.headers, login) ?? '').split('.')
    const parts = partsOf(secret)
    // Checked before the provider is called, and before the request takes a slot.
    const isOurs = secret !== '' && state === parts.state
    const callback = new URL(redirectUri)
    callback.search = new URL(request.url, redirectUri).search
    const signedIn =
      isOurs && typeof code === 'string'
        ? await exchanges.run(
            clientAddress({ headers: request.headers, peer: request.ip }, config.proxies),
            async () => {
              const granted = await provider.exchange({ callback, ...parts })
              if (typeof granted === 'string' || !granted.claims) return undefined
              const who = personIn(granted.claims, config)
              return who && { who, vouched: granted.vouched }
            },
          )
        : undefined
    if (!signedIn) throw problem('unauthenticated', { who: 'oidc', rule: rule('signInAgain') })
    const key = await sessions.begin(signedIn.who, signedIn.vouched)
    return reply
      .header('set-cookie', [keep(session, key, sessionSeconds), keep(login, '', 0)])
      .header('cache-control', 'no-store')
      .redirect(withinHere(Buffer.from(to, 'base64url').toString()))
  })

  // Before the body is refused, so that cross-site requests get the right error.
  const onRequest: onRequestHookHandler = (request, _reply, done) => {
    refuseCrossSiteRequests(request.headers, {
      openIdentity: false,
      url: config.url,
      corsOrigins: [],
      hosts: undefined,
    })
    done()
  }
  app.post('/logout', { onRequest }, async (request, reply) => {
    const key = cookieIn(request.headers, session)
    // Looked up first, because anyone can send a cookie, and deleting is a write.
    if (key !== undefined && (await sessions.find(key))) await sessions.end(key)
    return reply.header('set-cookie', keep(session, '', 0)).send(succeeded(null))
  })
}

/**
 * State, nonce and PKCE verifier are derived from one secret in a cookie, so the answer to a login that another browser started does not
 * match.
 */
function partsOf(secret: string) {
  const part = (name: string) => hash('sha256', `${name} ${secret}`, 'base64url')
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') }
}

/** The page after signing in: always a path of this server (no open redirect). */
function withinHere(to: unknown): string {
  const here = 'http://here.invalid'
  if (typeof to !== 'string' || !to.startsWith('/') || !URL.canParse(to, here)) return '/'
  const { origin, pathname, search, hash } = new URL(to, here)
  // Two slashes would name a host, so the parsed path is used, not the sent text.
  return origin === here && !pathname.startsWith('//') ? pathname + search + hash : '/'
}
