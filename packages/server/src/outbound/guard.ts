import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { present } from '../common/present.ts'
import { type AddressRules, isAllowed } from './address.ts'
import { Forbidden } from './failure.ts'

export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/** Pending look-ups, shared: getaddrinfo runs in few threads, which repeated look-ups of an unresponsive name would fill. */
const pendingLookups = new Map<string, Promise<LookupAddress[]>>()

export const systemResolve: Resolve = (hostname) => {
  const asked = pendingLookups.get(hostname)
  if (asked) return asked
  const answer = lookup(hostname, { all: true }).finally(() => pendingLookups.delete(hostname))
  pendingLookups.set(hostname, answer)
  return answer
}

export interface Guard {
  /** Checks an IP address in the URL, for which no look-up happens. */
  literal(host: string, address: string): void
  /**
   * Resolves a name and refuses it if any of its addresses is forbidden. The connection uses the checked addresses, so a later change of
   * the name (DNS rebinding) has no effect.
   */
  readonly lookup: LookupFunction
}

export function guardOf(rules: AddressRules, resolve: Resolve): Guard {
  const literal = (host: string, address: string) => {
    if (!isAllowed(address, rules)) throw new Forbidden(host, address)
  }
  const checked = async (hostname: string): Promise<LookupAddress[]> => {
    const found = await resolve(hostname)
    for (const { address } of found) literal(hostname, address)
    if (found.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
    return found
  }
  return {
    literal,
    lookup: (hostname, { all, family }, callback) => {
      checked(hostname).then(
        (found) => {
          const wanted = family === 4 || family === 6 ? found.filter((each) => each.family === family) : found
          const first = wanted[0] ?? present(found[0])
          if (all) callback(null, wanted)
          else callback(null, first.address, first.family)
        },
        (error) => callback(error, ''),
      )
    },
  }
}
