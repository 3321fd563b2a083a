import { isIP } from 'node:net'
import { problem, rule } from '@mainline/contract'
import { mostValues } from '../../condition/parse.ts'

const longestList = 256

/** Fields of a host that contain addresses, as comma lists. */
export const addressFields = ['bk_host_innerip', 'bk_host_outerip']

/** The addresses of a comma list in canonical spelling, so that two spellings mean the same host. */
export function readAddresses(field: string, text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  const addresses = parts.filter((part) => part !== '').map((part) => canonical(field, part))
  if (addresses.length === 0) throw problem('unassigned', { field })
  const distinct = [...new Set(addresses)]
  const got = distinct.join(',').length
  if (got > longestList) throw problem('outOfBounds', { rule: rule('maxBytes', { field, max: longestList, got }) })
  return distinct
}

/** Addresses in the spelling in which they are stored and searched; invalid ones are unchanged. Refuses more than a filter may name. */
export function spelled(field: string, value: unknown): unknown {
  let left = mostValues
  const spell = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(spell)
    if (typeof one !== 'string') return one
    const parts = one.split(',')
    left -= parts.length
    if (left < 0) throw problem('tooMany', { what: field, limit: mostValues })
    return parts.map((part) => (isAddress(part.trim()) ? canonical('', part.trim()) : part.trim())).join(',')
  }
  return spell(value)
}

const isAddress = (text: string) => isIP(text) !== 0 && !text.includes('%')

export function canonical(field: string, address: string): string {
  const version = isIP(address)
  if (version === 4) return address
  // A zone names a network interface of one machine and has no meaning elsewhere.
  if (version === 6 && !address.includes('%')) return new URL(`http://[${address}]`).hostname.slice(1, -1)
  throw problem('invalid', { field, rule: rule('address', { value: address.slice(0, 64) }) })
}
