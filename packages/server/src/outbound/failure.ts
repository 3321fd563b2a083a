import { type Rule, rule } from '@mainline/contract'
import { asError, errorCodeOf } from '../common/error-code.ts'

export type UnreachableKind = 'refused' | 'timeout' | 'dns' | 'tls' | 'reset' | 'route' | 'garbled'

/** Why there is no complete answer. Messages contain only the host, because a URL may contain credentials. */
export class Unreachable extends Error {
  readonly kind: UnreachableKind
  readonly why: Rule

  constructor(kind: UnreachableKind, why: Rule) {
    super(why[0])
    this.name = 'Unreachable'
    this.kind = kind
    this.why = why
  }
}

/** The callback policy forbids the address. */
export class Forbidden extends Error {
  readonly why: Rule

  constructor(host: string, address: string) {
    const why = host === address ? rule('addressForbidden', { address }) : rule('hostForbidden', { host, address })
    super(why[0])
    this.name = 'Forbidden'
    this.why = why
  }
}

export const tooSlow = (host: string, milliseconds: number) =>
  new Unreachable('timeout', rule('callbackTimeout', { host, seconds: milliseconds / 1000 }))

const kinds: readonly (readonly [UnreachableKind, RegExp])[] = [
  ['refused', /^ECONNREFUSED$/],
  ['timeout', /TIMEOUT|^ETIMEDOUT$/],
  ['dns', /^(ENOTFOUND|ENODATA|EAI_\w+)$/],
  ['route', /^(EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL|EACCES|EINVAL)$/],
  ['reset', /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/],
  ['tls', /^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH)/],
]

/** Maps an error of the HTTP client to ours. */
export function failureOf(error: unknown, host: string): Error {
  if (error instanceof Forbidden || error instanceof Unreachable) return error
  const code = errorCodeOf(error)
  // An invalid argument is an internal error.
  if (code === 'UND_ERR_INVALID_ARG') return asError(error)
  const kind = kinds.find(([, pattern]) => pattern.test(code))?.[0] ?? 'garbled'
  return new Unreachable(kind, texts[kind](host, code || String(error)))
}

const texts: Record<UnreachableKind, (host: string, code: string) => Rule> = {
  refused: (host) => rule('callbackRefused', { host }),
  timeout: (host) => rule('callbackNoConnection', { host }),
  dns: (host) => rule('callbackUnknownHost', { host }),
  tls: (host, code) => rule('callbackTls', { host, code }),
  reset: (host) => rule('callbackReset', { host }),
  route: (host) => rule('callbackNoRoute', { host }),
  garbled: (host, code) => rule('callbackGarbled', { host, code }),
}
