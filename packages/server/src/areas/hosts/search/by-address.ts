import { problem, rule } from '@mainline/contract'
import type { Condition } from '../../../condition/condition.ts'
import { mostFilters, mostValues } from '../../../condition/parse.ts'
import { addressFields, spelled } from '../address.ts'

/** The `ip` block of a search. */
interface AddressBlock {
  readonly data?: readonly string[]
  readonly exact?: 0 | 1
  readonly flag?: string
}

/** Hosts with one of the addresses, or with a part of one; undefined if none is given. */
export function addressCondition({ data = [], exact = 1, flag = '' }: AddressBlock): Condition | undefined {
  const fields = flag === '' ? addressFields : flag.split('|').map((each) => each.trim())
  const wrong = fields.find((each) => !addressFields.includes(each))
  if (wrong !== undefined)
    throw problem('invalid', { field: 'ip.flag', rule: rule('oneOf', { values: addressFields.join('|') }) })
  const sent = data.flatMap((each) => each.split(','))
  if (sent.length > mostValues) throw problem('tooMany', { what: 'ip.data', limit: mostValues })
  const addresses = [...new Set(sent.map((each) => each.trim()))].filter(Boolean)
  if (addresses.length === 0) return undefined
  if (exact === 1) {
    const names = spelled('ip.data', addresses) as string[]
    return { any: fields.map((field): Condition => ({ field, test: { is: 'listing', names } })) }
  }
  if (addresses.length > mostFilters) throw problem('tooMany', { what: 'ip.data', limit: mostFilters })
  return {
    any: fields.flatMap((field) => addresses.map((part): Condition => ({ field, test: { is: 'containing', part } }))),
  }
}
