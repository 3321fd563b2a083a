import { problem, rule } from '@mainline/contract'
import type { Fields } from './condition.ts'

export interface Order {
  readonly field: string
  readonly descending: boolean
}

/** `field`, `-field` or a comma list; repetitions have no effect. */
export function readSort(sort: string | undefined, fields: Fields): Order[] {
  const parts = (sort ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  const fieldOf = (part: string) => part.replace(/^[-+]/, '')
  const unknown = parts.filter((part) => !fields.has(fieldOf(part)))
  if (unknown[0] !== undefined) {
    throw problem('unknown', { field: 'sort', values: unknown, rule: rule('value', { value: unknown[0] }) })
  }
  const order = new Map<string, Order>()
  for (const part of parts) {
    const field = fieldOf(part)
    if (!order.has(field)) order.set(field, { field, descending: part.startsWith('-') })
  }
  return [...order.values()]
}
