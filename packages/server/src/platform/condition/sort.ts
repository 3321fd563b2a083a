import { problem, rule } from '@mainline/contract'
import type { Fields } from './condition.ts'

export interface Order {
  readonly field: string
  readonly descending: boolean
}

/** `field`, `-field` or a comma list; a field named again changes nothing. */
export function readSort(sort: string | undefined, fields: Fields): Order[] {
  const order = new Map<string, Order>()
  for (const part of (sort ?? '').split(',').map((each) => each.trim())) {
    if (part === '') continue
    const field = part.replace(/^[-+]/, '')
    if (!fields.has(field)) throw problem('unknown', { field: 'sort', rule: rule('value', { value: part }) })
    if (!order.has(field)) order.set(field, { field, descending: part.startsWith('-') })
  }
  return [...order.values()]
}
