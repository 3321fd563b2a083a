import { isIP } from 'node:net'
import { problem, rule } from '@mainline/contract'

const longestList = 256

/** Fields of a host that hold addresses, in comma lists. */
export const addressFields = ['bk_host_innerip', 'bk_host_outerip']

/** The addresses of a comma list, each in its one canonical spelling, so that two spellings are one host. */
export function readAddresses(field: string, text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  const addresses = parts.filter((part) => part !== '').map((part) => canonical(field, part))
  if (addresses.length === 0) throw problem('unassigned', { field })
  const distinct = [...new Set(addresses)]
  const got = distinct.join(',').length
  if (got > longestList) throw problem('outOfBounds', { rule: rule('maxBytes', { field, max: longestList, got }) })
  return distinct
}

/** Addresses in the spelling in which they are kept and found; what is no address stays as it is. */
export function spelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spelled)
  if (typeof value !== 'string') return value
  const parts = value.split(',').map((part) => part.trim())
  return parts.map((part) => (isAddress(part) ? canonical('', part) : part)).join(',')
}

const isAddress = (text: string) => isIP(text) !== 0 && !text.includes('%')

export function canonical(field: string, address: string): string {
  const version = isIP(address)
  if (version === 4) return address
  // A zone names an interface of one machine, which says nothing elsewhere.
  if (version === 6 && !address.includes('%')) return new URL(`http://[${address}]`).hostname.slice(1, -1)
  throw problem('invalid', { field, rule: rule('address', { value: address.slice(0, 64) }) })
}
