// A real OpenID provider on a real socket, whose keys the tests hold, too: so that they can also sign what it never would.
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
  /** Answered to whoever shows a code, in place of what the provider would. */
  tokenAnswer: unknown
  /** A token as the provider would sign it, unless told otherwise. */
  sign(claims?: JWTPayload, more?: Signing): Promise<string>
  /** From now on it signs with another key, and no longer knows the old one. */
  rotate(): Promise<void>
  /** Answers nothing any more, until `wake`. */
  sleep(): void
  wake(): void
  close(): Promise<void>
}

export async function startProvider(redirectUri: string): Promise<TestProvider> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  let keys = await makeKeys()
  let provider = new Provider(issuer, configuration(keys, redirectUri))
  let asleep = false
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (asleep) return void request.socket.destroy()
    if (running.tokenAnswer && request.url === '/token') return void response.end(JSON.stringify(running.tokenAnswer))
    if (!request.url?.startsWith('/sign-in/')) return void provider.callback()(request, response)
    await provider.interactionFinished(request, response, { login: { accountId: 'amy' } })
  }
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  const running: TestProvider = {
    issuer,
    tokenAnswer: undefined,
    sign(claims = {}, { expires = '5m', key = keys.pair.privateKey, kid = keys.kid } = {}) {
      const jwt = new SignJWT({ sub: 'service-7', aud: client.audience, iss: issuer, ...claims })
      if (expires !== null) jwt.setExpirationTime(expires)
      return jwt.setProtectedHeader({ alg: 'RS256', kid }).sign(key)
    },
    async rotate() {
      keys = await makeKeys()
      provider = new Provider(issuer, configuration(keys, redirectUri))
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
  return running
}

async function makeKeys() {
  const pair = await generateKeyPair('RS256', { extractable: true })
  const kid = Math.random().toString(36).slice(2)
  return { pair, kid, jwk: { ...(await exportJWK(pair.privateKey)), kid, alg: 'RS256', use: 'sig' } }
}

/** People sign in without a form and consent to everything; all else is as the provider does it. */
const configuration = ({ jwk }: Awaited<ReturnType<typeof makeKeys>>, redirectUri: string): Configuration => ({
  jwks: { keys: [jwk as never] },
  clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] }],
  claims: { openid: ['sub'], profile: ['preferred_username'] },
  pkce: { required: () => true },
  cookies: { keys: ['of the provider'] },
  ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
  findAccount: (_context, sub) => ({
    accountId: sub,
    claims: async () => ({ sub, preferred_username: `${sub}.name` }),
  }),
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
