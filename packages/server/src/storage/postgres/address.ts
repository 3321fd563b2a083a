import { isKeyOf } from '../../common/keys.ts'
import { present } from '../../common/present.ts'

/** The address of PostgreSQL: one host, or several of which one is the primary, in libpq's syntax. */
export interface DatabaseAddress {
  /** One connection string per host, in the order of attempts. */
  readonly urls: readonly [string, ...string[]]
  /** `target_session_attrs` requires a writable host. */
  readonly wantsPrimary: boolean
  /** For messages: hosts and database, without the password. */
  readonly label: string
}

const shape = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/

/**
 * The fault of an invalid address. It quotes no part of the address: with a character that was not percent-encoded, a piece of the
 * password can look like a host or a database.
 */
export function addressFault(url: string): string | undefined {
  const [, scheme, authority = '', rest = ''] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(url) ?? []
  if (scheme === undefined) return 'must start with postgres://'
  const [user = '', ...hosts] = authority.includes('@') ? authority.split('@') : ['', authority]
  const path = present(rest.split('?', 1)[0])
  if (hosts.length > 1 || path.includes('@') || rest.includes('#') || !isDecodable(user)) {
    return 'must have the characters : / ? # [ ] @ % of the user and the password percent-encoded, as %40 for @'
  }
  const isReadable = hosts
    .join()
    .split(',')
    .every((host) => URL.canParse(`${scheme}${host}${rest}`))
  return isReadable ? undefined : 'must be such as postgres://host:5432/database, with user:password@ before the host'
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Node's `pg` supports single hosts only, so `postgres://user@a:5432,b:5432/name` becomes one connection string per host. */
export function readAddress(url: string): DatabaseAddress {
  const [, start = '', hosts = '', path = '', query = ''] = shape.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  const wanted = parameters.get('target_session_attrs') ?? 'any'
  if (!isKeyOf(attributes, wanted)) {
    throw new Error(`target_session_attrs is '${wanted}'; use one of ${Object.keys(attributes).join(', ')}`)
  }
  parameters.delete('target_session_attrs')
  const rest = `${path}${parameters.size > 0 ? `?${parameters}` : ''}`
  const [first = '', ...others] = hosts.split(',').map((host) => `${start}${host}${rest}`)
  return {
    urls: [first, ...others],
    wantsPrimary: attributes[wanted],
    label: `${hosts || 'this machine'}${path}`,
  }
}

/** The values of libpq that make sense for a service that writes, and whether they exclude standbys. */
const attributes = { any: false, 'read-write': true, primary: true }
