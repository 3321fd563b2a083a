import { Problem, problem, rule } from '@mainline/contract'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import type { ServeConfig } from '../../common/config.ts'
import type { Verdict } from '../auth-throttle.ts'
import type { Vouched } from '../sessions/sessions.ts'

/** Asymmetric signatures only: no HMAC with a shared secret, and never `none`. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA']
/** Tolerated clock skew of the provider. */
const maxSkewSeconds = 30
/** Keys are fetched again when a token has an unknown key, but at most at this interval. */
const keysCooldownMs = 3_000
const providerTimeoutMs = 5_000
const maxAnswerBytes = 1024 * 1024
const rediscoverAfter = 3_600_000

interface Discovered {
  readonly endpoints: oidc.Configuration
  readonly keys: ReturnType<typeof createRemoteJWKSet>
  readonly at: number
}

export type ProviderConfig = Pick<ServeConfig, 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcScope'>

export interface Exchange {
  /** The redirect URI with the parameters of the browser's request. */
  readonly callback: URL
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The provider's answer: claims, if it has any, and the validity. */
export interface Granted {
  readonly claims?: JWTPayload
  readonly vouched: Vouched
}

/** Minimum validity, so that very short-lived tokens do not cause a refresh per request. */
const leastVouchedMs = 5_000

/** The OpenID provider. Returned claims are verified: signature, audience, and validity period. */
export class Provider {
  readonly #config: ProviderConfig
  #known: Promise<Discovered> | undefined

  constructor(config: ProviderConfig) {
    this.#config = config
  }

  /** Verifies a token. Rejects if the provider is unreachable. */
  async verify(jwt: string, audience: string): Promise<Verdict<JWTPayload>> {
    const { keys } = await this.#discovered()
    const options: JWTVerifyOptions = {
      issuer: this.#config.oidcIssuer,
      audience,
      algorithms,
      clockTolerance: maxSkewSeconds,
      requiredClaims: ['exp', 'sub'],
    }
    try {
      return (await jwtVerify(jwt, keys, options)).payload
    } catch (error) {
      if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || !isOfJwt(error)) throw away()
      // Expired, or signed by a retired key: not counted as a failed attempt.
      const lapsed = error instanceof errors.JWTExpired || error instanceof errors.JWKSNoMatchingKey
      return lapsed ? 'lapsed' : 'wrong'
    }
  }

  async authorizationUrl(parameters: Record<string, string>): Promise<string> {
    const { endpoints } = await this.#discovered()
    return oidc.buildAuthorizationUrl(endpoints, { scope: this.#config.oidcScope, ...parameters }).href
  }

  /** Exchanges an authorization code for claims. */
  async exchange({ callback, state, nonce, verifier }: Exchange): Promise<Verdict<Granted>> {
    const { endpoints } = await this.#discovered()
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
    const answer = await unlessRefused(oidc.authorizationCodeGrant(endpoints, callback, checks))
    return answer ? this.#granted(answer, '') : 'wrong'
  }

  /** Renews a session; 'lapsed' if the provider refuses. */
  async refresh(refreshToken: string): Promise<Verdict<Granted>> {
    const { endpoints } = await this.#discovered()
    const answer = await unlessRefused(oidc.refreshTokenGrant(endpoints, refreshToken))
    return answer ? this.#granted(answer, refreshToken) : 'lapsed'
  }

  /** An id token is optional when a session is renewed; the granted refresh shows that the session continues. */
  async #granted(answer: oidc.TokenEndpointResponse, refreshToken: string): Promise<Verdict<Granted>> {
    // The library checks the claims; the signature is checked with the same keys as that of every other token.
    const claims = answer.id_token ? await this.verify(answer.id_token, this.#config.oidcClientId) : undefined
    if (typeof claims === 'string') return claims
    if (claims?.azp !== undefined && claims.azp !== this.#config.oidcClientId) return 'wrong'
    const seconds = answer.expires_in ?? (claims?.exp ?? 0) - Date.now() / 1000
    return {
      ...(claims && { claims: await this.#withUserinfo(claims, answer.access_token) }),
      // Some providers rotate refresh tokens, others keep them.
      vouched: { forMs: Math.max(leastVouchedMs, seconds * 1000), refreshToken: answer.refresh_token ?? refreshToken },
    }
  }

  /** Some providers have the name only in userinfo. Its `sub` must be that of the id token. */
  async #withUserinfo(claims: JWTPayload, accessToken: string): Promise<JWTPayload> {
    const { endpoints } = await this.#discovered()
    if (!endpoints.serverMetadata().userinfo_endpoint || claims.sub === undefined) return claims
    const more = await unlessRefused(oidc.fetchUserInfo(endpoints, accessToken, claims.sub))
    return { ...more, ...claims }
  }

  /** Cached discovery document, refreshed periodically; kept while the provider is unreachable. */
  #discovered(): Promise<Discovered> {
    const asked = () => discover(this.#config)
    const isOld = (known: Discovered) => Date.now() - known.at > rediscoverAfter
    const known = this.#known?.then((then) => (isOld(then) ? asked().catch(() => ({ ...then, at: Date.now() })) : then))
    this.#known = known ?? asked()
    this.#known.catch(() => {
      this.#known = undefined
    })
    return this.#known
  }
}

const away = (): Problem => problem('notReady', { rule: rule('providerAway') })

/** Whether the token is at fault, as opposed to fetching keys, whose errors have the generic code. */
const isOfJwt = (error: unknown) => error instanceof errors.JOSEError && error.code !== errors.JOSEError.code

async function discover({ oidcIssuer: issuer, oidcClientId: id, oidcClientSecret: secret }: ProviderConfig) {
  const found = oidc.discovery(
    new URL(issuer),
    // Without browser sign-in there is no client.
    id || 'none',
    { [oidc.clockTolerance]: maxSkewSeconds },
    secret ? oidc.ClientSecretBasic(secret) : oidc.None(),
    { [oidc.customFetch]: boundedFetch, ...(issuer.startsWith('http:') && { execute: [oidc.allowInsecureRequests] }) },
  )
  const endpoints = await found.catch(() => {
    throw away()
  })
  const { issuer: named, jwks_uri, authorization_endpoint, token_endpoint } = endpoints.serverMetadata()
  if (named !== issuer || !jwks_uri || !authorization_endpoint || !token_endpoint) throw away()
  const keys = createRemoteJWKSet(new URL(jwks_uri), {
    cooldownDuration: keysCooldownMs,
    timeoutDuration: providerTimeoutMs,
  })
  return { endpoints, keys, at: Date.now() }
}

/** The provider's answer; undefined if it is a refusal or breaks the protocol. */
function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: Error) => {
    // Thrown by boundedFetch.
    if (error.cause instanceof Problem) throw error.cause
    return undefined
  })
}

/** Follows no redirect, and limits the size of answers and the time for them. */
const boundedFetch: oidc.CustomFetch = async (url, { body, headers, method }) => {
  const limits = { redirect: 'error', signal: AbortSignal.timeout(providerTimeoutMs) } as const
  try {
    // The only request body for a provider is a form.
    const answer = await fetch(url, { method, headers, ...(body instanceof URLSearchParams && { body }), ...limits })
    const bytes = await readAtMost(answer, maxAnswerBytes)
    if (answer.status >= 500) throw away()
    return new Response(bytes.length > 0 ? bytes : null, { status: answer.status, headers: answer.headers })
  } catch {
    throw away()
  }
}

async function readAtMost({ body }: Response, most: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let read = 0
  for await (const chunk of body ?? []) {
    read += chunk.length
    if (read > most) throw new Error(`the answer is larger than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
