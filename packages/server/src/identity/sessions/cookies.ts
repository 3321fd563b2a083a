import type { IncomingHttpHeaders } from 'node:http'

interface CookieOptions {
  readonly secure: boolean
  /** 0 removes the cookie. */
  readonly maxAgeSeconds: number
}

/** Over HTTPS, the prefix prevents other hosts of the same domain from setting the cookie. */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name)

export function cookieIn({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const found = cookie.split(';').find((each) => each.trimStart().startsWith(`${name}=`))
  return found?.slice(found.indexOf('=') + 1).trim() || undefined
}

/** Not readable by scripts, and not sent with cross-site posts. */
export const writeCookie = (name: string, value: string, { secure, maxAgeSeconds }: CookieOptions): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
