import { problem, rule } from '@mainline/contract'
import type { Request } from './route.ts'

/** A parameter behind the question mark that is true or false; absent means false. Sent twice it is a list, and neither. */
export function readFlag(query: Request['query'], name: string): boolean {
  const value: unknown = query[name]
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  throw problem('invalid', { field: name, rule: rule('oneOf', { values: 'true, false' }) })
}
