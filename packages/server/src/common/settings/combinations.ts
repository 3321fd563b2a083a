// Settings that are valid individually but not together.
import { misused, Refusal } from '../refusal.ts'
import { isLoopback } from './formats.ts'
import type { ServeConfig } from './settings.ts'

/** Unauthenticated callers are acceptable on the loopback interface only. */
export function refuseOpenToOthers(config: Pick<ServeConfig, 'auth' | 'host'>): void {
  if (config.auth === 'open' && !isLoopback(config.host)) {
    throw misused(
      `--host ${config.host} would admit every caller: 'open' identity does not authenticate callers and may serve this machine only. ` +
        'Listen on 127.0.0.1, or set MAINLINE_AUTH to token, proxy or oidc.',
    )
  }
}

/** The embedded storage belongs to one process. */
export function refuseLonelyWorkers({ workers, databaseUrl }: Pick<ServeConfig, 'workers' | 'databaseUrl'>): void {
  if (workers > 1 && !databaseUrl) {
    throw misused(
      `MAINLINE_WORKERS is ${workers}: the embedded storage supports one process. Set DATABASE_URL to use PostgreSQL, or set MAINLINE_WORKERS to 1.`,
    )
  }
}

/** Only with tokens can a request of a page of another origin be distinguished from one of the user. */
export function refuseOriginsWithoutTokens({ auth, corsOrigins }: Pick<ServeConfig, 'auth' | 'corsOrigins'>): void {
  if (corsOrigins.length > 0 && auth !== 'token' && auth !== 'oidc') {
    throw new Refusal(
      `MAINLINE_CORS_ORIGINS would let pages of ${corsOrigins.join(', ')} act as any user: '${auth}' identity requires no token. ` +
        'Set MAINLINE_AUTH to token or oidc, or leave MAINLINE_CORS_ORIGINS empty.',
    )
  }
}

/** Refuses authentication modes without their required settings. */
export function refuseIncompleteAuth(config: ServeConfig): void {
  const lacks = (mode: string, what: string) => misused(`MAINLINE_AUTH=${mode} needs ${what}.`)
  if (config.auth === 'proxy' && config.proxies.length === 0) {
    throw lacks('proxy', 'MAINLINE_PROXIES, the addresses of the proxies that may identify the caller')
  }
  if (config.auth !== 'oidc') return
  if (config.oidcIssuer === '') throw lacks('oidc', 'MAINLINE_OIDC_ISSUER, the URL of the provider')
  if (config.oidcAudience === '' && config.oidcClientId === '') {
    throw lacks('oidc', 'MAINLINE_OIDC_AUDIENCE for tokens of programs, MAINLINE_OIDC_CLIENT_ID for browsers, or both')
  }
  if (config.oidcClientId !== '' && config.url === '') {
    throw lacks('oidc', 'MAINLINE_URL, the URL the provider redirects browsers to, when MAINLINE_OIDC_CLIENT_ID is set')
  }
  if (config.oidcUserClaim.length === 0)
    throw lacks('oidc', 'MAINLINE_OIDC_USER_CLAIM, the claims that contain the user name')
}
