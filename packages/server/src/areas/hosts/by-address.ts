import { problem, rule } from '@mainline/contract'
import type { Condition } from '../../platform/condition/condition.ts'
import { mostFilters } from '../../platform/condition/parse.ts'
import { addressFields, spelled } from './address.ts'

/** The `ip` block of a search. */
export interface AddressBlock {
  readonly data?: readonly string[]
  readonly exact?: 0 | 1
  readonly flag?: string
}

/** Hosts with one of the addresses, or with a part of one; undefined when none is named. */
export function addressCondition({ data = [], exact = 1, flag = '' }: AddressBlock): Condition | undefined {
  const fields = flag === '' ? addressFields : flag.split('|').map((each) => each.trim())
  const wrong = fields.find((each) => !addressFields.includes(each))
  if (wrong !== undefined)
    throw problem('invalid', { field: 'ip.flag', rule: rule('oneOf', { values: addressFields.join('|') }) })
  const addresses = [...new Set(data.flatMap((each) => each.split(',')).map((each) => each.trim()))].filter(Boolean)
  if (addresses.length === 0) return undefined
  if (exact === 1) {
    const names = addresses.map((each) => spelled(each) as string)
    return { any: fields.map((field): Condition => ({ field, test: { is: 'listing', names } })) }
  }
  if (addresses.length > mostFilters) throw problem('tooMany', { what: 'ip.data', limit: mostFilters })
  return {
    any: fields.flatMap((field) => addresses.map((part): Condition => ({ field, test: { is: 'containing', part } }))),
  }
}
