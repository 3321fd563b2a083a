import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { problem, rule } from '@mainline/contract'
import type { ServeConfig } from '../common/config.ts'
import { isLoopback } from '../common/settings/formats.ts'

/** The last Host header that was recognised as this machine: it hardly ever changes between requests. */
let knownHere: string | undefined

function isHere(host: string): boolean {
  const here = isLoopback(host.replace(/:\d+$/, ''))
  if (here) knownHere = host
  return here
}

interface CrossSitePolicy extends Pick<ServeConfig, 'url' | 'corsOrigins'> {
  readonly openIdentity: boolean
  /** Allowed host names, in lower case; undefined allows any. */
  readonly hosts: ReadonlySet<string> | undefined
}

/** The allowed host names behind an authenticating proxy. */
export const hostsOf = ({ url, allowedHosts }: Pick<ServeConfig, 'url' | 'allowedHosts'>): ReadonlySet<string> =>
  new Set([...allowedHosts, ...(url === '' ? [] : [new URL(url).hostname])].map((name) => name.toLowerCase()))

/**
 * DNS rebinding: to the browser, an attacker's page whose name resolves to the proxy has the same origin, and the proxy may identify the
 * user without a cookie. But the page cannot make the browser send our host name or a bare address.
 */
function refuseOtherHosts(host: string, hosts: ReadonlySet<string>): void {
  const name = host.replace(/:\d+$/, '')
  if (hosts.has(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0 || isLoopback(name)) return
  throw problem('denied', { why: rule('unlistedHost', { host: host || '?' }) })
}

/**
 * CSRF protection. Bodies are accepted without a Content-Type, so browsers send cross-origin requests without a preflight;
 * and with open identity an attacker's host name could resolve to this machine (DNS rebinding).
 */
export function refuseCrossSiteRequests(
  headers: IncomingHttpHeaders,
  { openIdentity, url, corsOrigins, hosts }: CrossSitePolicy,
): void {
  const host = (headers.host ?? '').toLowerCase()
  if (hosts) refuseOtherHosts(host, hosts)
  const { origin } = headers
  const site = headers['sec-fetch-site']
  // A reverse proxy may forward another Host than the browser's origin; the configured URL is ours, too.
  const isOwn = origin === undefined || hostOf(origin) === host || (url !== '' && origin === url)
  const foreign = site === 'cross-site' || site === 'same-site' || !isOwn
  if (foreign && !isListed(headers, corsOrigins))
    throw problem('denied', { why: rule('foreignOrigin', { origin: origin ?? String(site) }) })
  if (openIdentity && host !== knownHere && !isHere(host)) {
    throw problem('denied', { why: rule('foreignHost', { host: host || '?' }) })
  }
}

/**
 * A page of a listed origin must send a token, which then alone identifies the caller. With a cookie it would act as the user who is
 * signed in, without their consent.
 */
const isListed = ({ origin, authorization }: IncomingHttpHeaders, corsOrigins: readonly string[]): boolean =>
  origin !== undefined && corsOrigins.includes(origin) && /^bearer /i.test(authorization ?? '')

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host
  } catch {
    return undefined
  }
}
