import { problem, rule } from '@mainline/contract'
import type { Request } from './route.ts'

/** A boolean query parameter, false when absent. Sent twice it is an array, which is invalid. */
export function readFlag(query: Request['query'], name: string): boolean {
  const value: unknown = query[name]
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  throw problem('invalid', { field: name, rule: rule('oneOf', { values: 'true, false' }) })
}
