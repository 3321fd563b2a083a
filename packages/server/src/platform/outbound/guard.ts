import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { type AddressRules, isAllowed } from './address.ts'
import { Forbidden } from './failure.ts'

export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/** The system looks up a few names at a time: one that gets no answer must not be asked for again and again meanwhile. */
const asking = new Map<string, Promise<LookupAddress[]>>()

export const systemResolve: Resolve = (hostname) => {
  const asked = asking.get(hostname)
  if (asked) return asked
  const answer = lookup(hostname, { all: true }).finally(() => asking.delete(hostname))
  asking.set(hostname, answer)
  return answer
}

export interface Guard {
  /** Refuses an address that stands in the URL itself: for it the system asks nobody. */
  literal(host: string, address: string): void
  /**
   * Looks a name up and refuses it when any of its addresses is forbidden. A connection made with it goes to the very
   * addresses that were checked: what the name means a moment later does not matter.
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
          const first = wanted[0] ?? (found[0] as LookupAddress)
          if (all) callback(null, wanted)
          else callback(null, first.address, first.family)
        },
        (error) => callback(error, ''),
      )
    },
  }
}
