import type { IncomingHttpHeaders } from 'node:http'
import { problem, rule } from '@mainline/contract'
import { isLoopback, type ServeConfig } from '../config.ts'

/** The name of this machine that was last used: callers hardly ever change it. */
let knownHere: string | undefined

function isHere(host: string): boolean {
  const here = isLoopback(host.replace(/:\d+$/, ''))
  if (here) knownHere = host
  return here
}

export interface Fence extends Pick<ServeConfig, 'url' | 'corsOrigins'> {
  readonly openIdentity: boolean
}

/**
 * Keeps other people's web pages out. Bodies are accepted without a Content-Type, so a browser's own check before
 * cross-origin requests does not protect us; and with open identity a page could name this machine by a host of its own.
 */
export function refuseForeignPages(headers: IncomingHttpHeaders, { openIdentity, url, corsOrigins }: Fence): void {
  const host = (headers.host ?? '').toLowerCase()
  const { origin } = headers
  const site = headers['sec-fetch-site']
  // A proxy in front may call us by another name than browsers do.
  const isOwn = origin === undefined || hostOf(origin) === host || (url !== '' && origin === url)
  const foreign = site === 'cross-site' || site === 'same-site' || !isOwn
  if (foreign && !isListed(headers, corsOrigins))
    throw problem('denied', { why: rule('foreignOrigin', { origin: origin ?? String(site) }) })
  if (openIdentity && host !== knownHere && !isHere(host)) {
    throw problem('denied', { why: rule('foreignHost', { host: host || '?' }) })
  }
}

/**
 * A page of a listed origin must show a token, and then nothing else identifies the caller. With a cookie it would act for whoever
 * is signed in, without asking.
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
