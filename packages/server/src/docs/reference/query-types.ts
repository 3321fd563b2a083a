import { associations } from '@mainline/contract'

/** Types of query parameters; text unless listed. */
const flags = ['dry_run', 'atomic', 'with_default', 'explain']
const integers = ['level', 'after', 'from', 'port', 'bk_biz_id', 'bk_inst_id', 'depth', 'limit']

export const isInteger = (name: string): boolean => integers.includes(name)

export function querySchema(name: string): { readonly type: string; readonly [keyword: string]: unknown } {
  if (flags.includes(name)) return { type: 'boolean', default: false }
  if (name === 'direction') return { type: 'string', enum: associations.impactDirections, default: 'down' }
  if (name === 'format') return { type: 'string', enum: ['csv', 'xlsx'], default: 'csv' }
  return isInteger(name) ? { type: 'integer', format: 'int64' } : { type: 'string' }
}
