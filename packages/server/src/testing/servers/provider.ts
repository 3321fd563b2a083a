// A real OpenID provider on a real socket. The tests have its keys, so that they can sign invalid tokens, too.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { freePort } from './postgres.ts'

export const client = { id: 'mainline', secret: 'a secret of the client', audience: 'mainline-api' }

interface Signing {
  /** null: never. */
  expires?: string | null
  key?: CryptoKey
  kid?: string
}

export interface TestProvider {
  readonly issuer: string
  /** Replaces the provider's answer to a code. */
  tokenAnswer: unknown
  /** A token as signed by the provider, with optional changes. */
  sign(claims?: JWTPayload, more?: Signing): Promise<string>
  /** Rotates the signing key; the old one is no longer published. */
  rotate(): Promise<void>
  /** Issues refresh tokens from now on. */
  refreshes: boolean
  /** Whether it still knows the signed-in users; unknown ones get no tokens. */
  knowsPeople: boolean
  /** How often a refresh token was used. */
  readonly refreshed: () => number
  /** Answers no requests until `wake`. */
  sleep(): void
  wake(): void
  close(): Promise<void>
}

export async function startProvider(redirectUri: string): Promise<TestProvider> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  let keys = await makeKeys()
  const make = () => {
    const made = new Provider(
      issuer,
      configuration(keys, redirectUri, () => running),
    )
    made.on('refresh_token.consumed', () => consumed++)
    return made
  }
  let provider: Provider
  let consumed = 0
  let asleep = false
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (asleep) return void request.socket.destroy()
    if (running.tokenAnswer && request.url === '/token') {
      response.setHeader('content-type', 'application/json')
      return void response.end(JSON.stringify(running.tokenAnswer))
    }
    if (!request.url?.startsWith('/sign-in/')) return void provider.callback()(request, response)
    await provider.interactionFinished(request, response, { login: { accountId: 'amy' } })
  }
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  const running: TestProvider = {
    issuer,
    tokenAnswer: undefined,
    refreshes: false,
    knowsPeople: true,
    refreshed: () => consumed,
    sign(claims = {}, { expires = '5m', key = keys.pair.privateKey, kid = keys.kid } = {}) {
      const jwt = new SignJWT({ sub: 'service-7', aud: client.audience, iss: issuer, ...claims }).setIssuedAt()
      if (expires !== null) jwt.setExpirationTime(expires)
      return jwt.setProtectedHeader({ alg: 'RS256', kid }).sign(key)
    },
    async rotate() {
      keys = await makeKeys()
      provider = make()
    },
    sleep: () => {
      asleep = true
    },
    wake: () => {
      asleep = false
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  provider = make()
  return running
}

async function makeKeys() {
  const pair = await generateKeyPair('RS256', { extractable: true })
  const kid = Math.random().toString(36).slice(2)
  return { pair, kid, jwk: { ...(await exportJWK(pair.privateKey)), kid, alg: 'RS256', use: 'sig' } }
}

/** Users sign in without a form and consent to everything; the rest is the provider's default. */
const configuration = (
  { jwk }: Awaited<ReturnType<typeof makeKeys>>,
  redirectUri: string,
  running: () => Pick<TestProvider, 'refreshes' | 'knowsPeople'>,
): Configuration => ({
  jwks: { keys: [jwk as never] },
  clients: [
    {
      client_id: client.id,
      client_secret: client.secret,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ],
  issueRefreshToken: async () => running().refreshes,
  rotateRefreshToken: true,
  claims: { openid: ['sub'], profile: ['preferred_username'] },
  pkce: { required: () => true },
  cookies: { keys: ['of the provider'] },
  ttl: {
    AccessToken: 600,
    RefreshToken: 3_600,
    AuthorizationCode: 60,
    Grant: 600,
    IdToken: 600,
    Interaction: 600,
    Session: 600,
  },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
  findAccount: (_context, sub) =>
    running().knowsPeople
      ? { accountId: sub, claims: async () => ({ sub, preferred_username: `${sub}.name` }) }
      : undefined,
  async loadExistingGrant({ oidc }) {
    const accountId = oidc.session?.accountId
    const clientId = oidc.client?.clientId
    if (!accountId || !clientId) return undefined
    const grant = new oidc.provider.Grant({ accountId, clientId })
    grant.addOIDCScope('openid profile email')
    await grant.save()
    return grant
  },
})
