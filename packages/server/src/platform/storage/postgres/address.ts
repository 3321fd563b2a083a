/** Where PostgreSQL is reached: one host, or several of which one is the primary, as libpq writes them. */
export interface DatabaseAddress {
  /** One connection string for each host, in the order in which they are tried. */
  readonly urls: readonly [string, ...string[]]
  /** `target_session_attrs` asks for a host that takes changes. */
  readonly wantsPrimary: boolean
  /** For messages: hosts and database, never a password. */
  readonly label: string
}

const shape = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/

/** Node's `pg` knows single hosts only, so `postgres://user@a:5432,b:5432/name` becomes one connection string per host. */
export function readAddress(url: string): DatabaseAddress {
  const [, start = '', hosts = '', path = '', query = ''] = shape.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  const wanted = parameters.get('target_session_attrs') ?? 'any'
  if (!(wanted in attributes)) {
    throw new Error(`target_session_attrs is '${wanted}'; use one of ${Object.keys(attributes).join(', ')}`)
  }
  parameters.delete('target_session_attrs')
  const rest = `${path}${parameters.size > 0 ? `?${parameters}` : ''}`
  const [first = '', ...others] = hosts.split(',').map((host) => `${start}${host}${rest}`)
  return {
    urls: [first, ...others],
    wantsPrimary: attributes[wanted as keyof typeof attributes],
    label: `${hosts || 'this machine'}${path}`,
  }
}

/** The values of libpq that make sense for a service that writes, and whether they rule a standby out. */
const attributes = { any: false, 'read-write': true, primary: true }
