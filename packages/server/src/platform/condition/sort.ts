import { problem, rule } from '@mainline/contract'
import type { Fields } from './condition.ts'

export interface Order {
  readonly field: string
  readonly descending: boolean
}

/** `field`, `-field` or a comma list. */
export function readSort(sort: string | undefined, fields: Fields): Order[] {
  return (sort ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const field = part.replace(/^[-+]/, '')
      if (!fields.has(field)) throw problem('unknown', { field: 'sort', rule: rule('value', { value: part }) })
      return { field, descending: part.startsWith('-') }
    })
}
