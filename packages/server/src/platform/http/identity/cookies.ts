import type { IncomingHttpHeaders } from 'node:http'

export interface CookieOptions {
  readonly secure: boolean
  /** Seconds; 0 removes it. */
  readonly maxAge: number
}

/** Where the connection is safe, the prefix keeps neighbours under the same domain from planting one. */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name)

export function cookieIn({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const found = cookie.split(';').find((each) => each.trimStart().startsWith(`${name}=`))
  return found?.slice(found.indexOf('=') + 1).trim() || undefined
}

/** Out of reach for scripts, and not sent along with what other sites make a browser post. */
export const writeCookie = (name: string, value: string, { secure, maxAge }: CookieOptions): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
