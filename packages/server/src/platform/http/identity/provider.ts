import { problem, rule } from '@mainline/contract'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { ServeConfig } from '../../config.ts'
import type { Verdict } from './brake.ts'

/** Only signatures that the provider alone can make: no shared secret, and never none at all. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA']
/** How far the provider's clock may be from ours, in seconds. */
const skew = 30
/** An unknown key may be a new one: then the keys are fetched again, but not more often than this, in milliseconds. */
const keysCooldown = 3_000
const patience = 5_000
const rediscoverAfter = 3_600_000

interface Discovered {
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly userinfo_endpoint?: string
  readonly keys: ReturnType<typeof createRemoteJWKSet>
  readonly at: number
}

export type ProviderConfig = Pick<ServeConfig, 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret'>

export interface Exchange {
  readonly code: string
  readonly verifier: string
  readonly nonce: string
  readonly redirectUri: string
}

/** The OpenID provider. A claim set that comes out of here has been signed by it, for this audience, and is in force. */
export class Provider {
  readonly #config: ProviderConfig
  #known: Promise<Discovered> | undefined

  constructor(config: ProviderConfig) {
    this.#config = config
  }

  /** What a token says, if it is good. Rejects while the provider cannot be asked. */
  async verify(jwt: string, audience: string): Promise<Verdict<JWTPayload>> {
    const { keys } = await this.#discovered()
    const options: JWTVerifyOptions = {
      issuer: this.#config.oidcIssuer,
      audience,
      algorithms,
      clockTolerance: skew,
      requiredClaims: ['exp', 'sub'],
    }
    try {
      return (await jwtVerify(jwt, keys, options)).payload
    } catch (error) {
      if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || !isOfJwt(error)) throw away()
      // Past its time, or by a key that has been retired: it was good once, and is no guess.
      const lapsed = error instanceof errors.JWTExpired || error instanceof errors.JWKSNoMatchingKey
      return lapsed ? 'lapsed' : 'wrong'
    }
  }

  async authorizationUrl(parameters: Record<string, string>): Promise<string> {
    const url = new URL((await this.#discovered()).authorization_endpoint)
    const asked = { client_id: this.#config.oidcClientId, response_type: 'code', scope: 'openid profile email' }
    for (const [name, value] of Object.entries({ ...asked, ...parameters })) url.searchParams.set(name, value)
    return url.href
  }

  /** What the provider says of the person who came back with the code. */
  async exchange({ code, verifier, nonce, redirectUri }: Exchange): Promise<Verdict<JWTPayload>> {
    const { token_endpoint: endpoint, userinfo_endpoint: userinfo } = await this.#discovered()
    const { oidcClientId: id, oidcClientSecret: secret } = this.#config
    const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')
    const answer = await ask(endpoint, {
      method: 'POST',
      headers: secret ? { authorization: `Basic ${basic}` } : {},
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...(!secret && { client_id: id }),
      }),
    })
    if (typeof answer?.id_token !== 'string') return 'wrong'
    const claims = await this.verify(answer.id_token, id)
    if (typeof claims === 'string') return claims
    if (claims.nonce !== nonce || (claims.azp !== undefined && claims.azp !== id)) return 'wrong'
    if (userinfo === undefined || typeof answer.access_token !== 'string') return claims
    // Some providers tell the name only here. It is about the same person, or about nobody.
    const more = await ask(userinfo, { headers: { authorization: `Bearer ${answer.access_token}` } })
    return more?.sub === claims.sub ? { ...more, ...claims } : claims
  }

  /** Asked again now and then; while it cannot be asked, what it said before holds. */
  #discovered(): Promise<Discovered> {
    const asked = () => discover(this.#config.oidcIssuer)
    const isOld = (known: Discovered) => Date.now() - known.at > rediscoverAfter
    const known = this.#known?.then((then) => (isOld(then) ? asked().catch(() => ({ ...then, at: Date.now() })) : then))
    this.#known = known ?? asked()
    this.#known.catch(() => {
      this.#known = undefined
    })
    return this.#known
  }
}

const away = () => problem('notReady', { rule: rule('providerAway') })

/** What is wrong with the token itself, as told from trouble with fetching keys, which has no code of its own. */
const isOfJwt = (error: unknown) => error instanceof errors.JOSEError && error.code !== errors.JOSEError.code

async function discover(issuer: string): Promise<Discovered> {
  const found = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {})
  const { authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri } = found ?? {}
  const isText = (value: unknown): value is string => typeof value === 'string'
  if (found?.issuer !== issuer || !isText(jwks_uri) || !isText(authorization_endpoint) || !isText(token_endpoint)) {
    throw away()
  }
  const keys = createRemoteJWKSet(new URL(jwks_uri), { cooldownDuration: keysCooldown, timeoutDuration: patience })
  return {
    authorization_endpoint,
    token_endpoint,
    ...(isText(userinfo_endpoint) && { userinfo_endpoint }),
    keys,
    at: Date.now(),
  }
}

/** The JSON it answers; undefined when it refuses. */
async function ask(url: string, init: RequestInit): Promise<Record<string, unknown> | undefined> {
  try {
    const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(patience) })
    if (answer.status >= 500) throw away()
    return answer.ok ? ((await answer.json()) as Record<string, unknown>) : undefined
  } catch {
    throw away()
  }
}
