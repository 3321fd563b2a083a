// Authentication: one file per mode, behind one function that identifies the caller or refuses.
import { type AuthMode, type DataOf, session } from '@mainline/contract'
import type { FastifyInstance } from 'fastify'
import type { ServeConfig } from '../common/config.ts'
import { handle, type Route } from '../http/route.ts'
import type { Storage } from '../storage/index.ts'
import type { Identify, Identity } from './identified.ts'
import type { OidcConfig } from './oidc/oidc.ts'
import { openIdentity } from './open.ts'
import { proxyIdentity } from './proxy.ts'
import { tokenIdentity } from './tokens/token.ts'
import { keepUses } from './tokens/uses.ts'

export { credentialsOf, defaultAccount, forwardedIn, languageOf, refuseTwoSpellings, requestIdOf } from './headers.ts'
export { type Identify, type Identity, otherAccount, type UnidentifiedRequest } from './identified.ts'
export {
  openSessionAdmin,
  type SessionAdmin,
  type SessionRecord,
  type WhichSessions,
} from './sessions/session-admin.ts'
export { openTokenAdmin, type TokenAdmin, type TokenRecord, type TokenRequest } from './tokens/tokens.ts'

export interface Identification {
  readonly mode: AuthMode
  readonly identify: Identify
  /** The `WWW-Authenticate` challenge of a 401 answer. */
  readonly challenge?: string
  /** Pages for signing in with a browser. */
  readonly serve?: (app: FastifyInstance) => void
  close(): Promise<void>
}

const nothingToClose = async () => {}

export const open: Identification = { mode: 'open', identify: openIdentity, close: nothingToClose }

const challenge = 'Bearer realm="mainline"'

type IdentityConfig = OidcConfig & Pick<ServeConfig, 'auth'>

/** Imports only the configured mode. */
export async function openIdentification(config: IdentityConfig, storage: Storage): Promise<Identification> {
  switch (config.auth) {
    case 'open':
      return open
    case 'proxy':
      return { mode: 'proxy', identify: proxyIdentity(config.proxies), close: nothingToClose }
    case 'token': {
      const uses = keepUses(storage)
      return { mode: 'token', identify: tokenIdentity(storage, uses, config.proxies), challenge, close: uses.close }
    }
    case 'oidc': {
      const { oidcIdentity } = await import('./oidc/oidc.ts')
      return { mode: 'oidc', ...oidcIdentity(config, storage), challenge, close: nothingToClose }
    }
  }
}

type IdentitySession = DataOf<typeof session.getSession>

/** Tells the console who is signed in, or how to sign in. */
export function sessionRoutes({ mode, serve }: Identification, admins: readonly string[]): Route[] {
  const signIn = (): IdentitySession['sign_in'] => {
    if (serve) return { way: 'login', url: '/login' }
    return { way: mode === 'token' ? 'token' : 'none', url: '' }
  }
  return [
    handle(session.getSession, async ({ actor }) => {
      const { user, account, language, confined, readOnly } = actor as Identity
      const known = user !== ''
      return {
        auth: mode,
        user: known ? user : null,
        bk_supplier_account: known ? account : null,
        confined,
        administrator: known && admins.includes(user),
        read_only: readOnly,
        language,
        sign_in: signIn(),
      }
    }),
  ]
}
