import { isIP } from 'node:net'
import { problem, rule } from '@mainline/contract'

const longest = 2048

/**
 * Reads a callback address: http or https, http by default. The parser normalises IP addresses in any notation, so the checked address is
 * the one that is connected to.
 */
export function readUrl(text: string): URL {
  const url = parse(text)
  if (!url || url.hostname === '' || !credentialsOf(url)) {
    throw problem('invalid', { field: 'callback_url', rule: rule('callbackUrl') })
  }
  url.hash = ''
  return url
}

function parse(text: string): URL | undefined {
  const given = text.trim()
  // The URL parser would silently drop line breaks.
  if (given.length > longest || /[\p{Cc}\p{Cs}]/u.test(given)) return undefined
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined
}

/** The Authorization header for user and password of a URL; {} without them, undefined if they cannot be decoded. */
export function credentialsOf({ username, password }: URL): { authorization?: string } | undefined {
  if (username === '' && password === '') return {}
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
  } catch {
    return undefined
  }
}

/** The IP address in a URL; undefined if it has a host name. */
export function literalAddress({ hostname }: URL): string | undefined {
  const bare = withoutBrackets(hostname)
  return isIP(bare) === 0 ? undefined : bare
}

export const withoutBrackets = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

export const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80)
