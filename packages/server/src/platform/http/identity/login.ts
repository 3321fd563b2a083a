import { hash, randomBytes } from 'node:crypto'
import { problem, rule, succeeded } from '@mainline/contract'
import type { FastifyInstance } from 'fastify'
import type { ServeConfig } from '../../config.ts'
import { refuseForeignPages } from '../fence.ts'
import type { Brake } from './brake.ts'
import { type ClaimConfig, personIn } from './claims.ts'
import { cookieIn, cookieName, writeCookie } from './cookies.ts'
import type { Provider } from './provider.ts'
import { type Sessions, sessionSeconds } from './sessions.ts'

/** How long a person may take at the provider, in seconds. */
const loginSeconds = 600

export interface LoginParts {
  readonly config: ClaimConfig & Pick<ServeConfig, 'url' | 'oidcIssuer'>
  readonly provider: Provider
  readonly sessions: Sessions
  readonly brake: Brake
}

/** The names depend on whether the browser reaches us safely. */
export function cookiesOf(url: string) {
  const secure = url.startsWith('https:')
  return { session: cookieName('mainline', secure), login: cookieName('mainline_login', secure), secure }
}

/** Signing in with a browser: authorization code with PKCE. */
export function serveLogin(app: FastifyInstance, { config, provider, sessions, brake }: LoginParts): void {
  const { session, login, secure } = cookiesOf(config.url)
  const redirectUri = `${config.url}/login/callback`
  const keep = (name: string, value: string, maxAge: number) => writeCookie(name, value, { secure, maxAge })

  app.get('/login', async (request, reply) => {
    const { to } = request.query as Record<string, unknown>
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

  app.get('/login/callback', async (request, reply) => {
    const { code, state, iss } = request.query as Record<string, unknown>
    const [secret = '', to = ''] = (cookieIn(request.headers, login) ?? '').split('.')
    const parts = partsOf(secret)
    const isOurs = secret !== '' && state === parts.state && (iss === undefined || iss === config.oidcIssuer)
    const person =
      isOurs && typeof code === 'string'
        ? await brake.try({ headers: request.headers, peer: request.ip }, code, async () => {
            const claims = await provider.exchange({ code, redirectUri, ...parts })
            return typeof claims === 'string' ? claims : (personIn(claims, config) ?? 'lapsed')
          })
        : undefined
    if (!person) throw problem('unauthenticated', { who: 'oidc', rule: rule('signInAgain') })
    const key = await sessions.begin(person)
    return reply
      .header('set-cookie', [keep(session, key, sessionSeconds), keep(login, '', 0)])
      .header('cache-control', 'no-store')
      .redirect(withinHere(Buffer.from(to, 'base64url').toString()))
  })

  app.post('/logout', async (request, reply) => {
    refuseForeignPages(request.headers, { openIdentity: false, url: config.url, corsOrigins: [] })
    const key = cookieIn(request.headers, session)
    if (key !== undefined) await sessions.end(key)
    return reply.header('set-cookie', keep(session, '', 0)).send(succeeded(null))
  })
}

/**
 * All that one login needs to remember follows from one secret, which stays with the browser: the answer to a question
 * that another browser asked does not fit.
 */
function partsOf(secret: string) {
  const part = (name: string) => hash('sha256', `${name} ${secret}`, 'base64url')
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') }
}

/** Where to go afterwards: a path of our own, whatever was asked for. */
function withinHere(to: unknown): string {
  const here = 'http://here.invalid'
  if (typeof to !== 'string' || !to.startsWith('/') || !URL.canParse(to, here)) return '/'
  const { origin, pathname, search, hash } = new URL(to, here)
  // Two slashes would name a host: the path is taken from what has been parsed, never from what was sent.
  return origin === here && !pathname.startsWith('//') ? pathname + search + hash : '/'
}
