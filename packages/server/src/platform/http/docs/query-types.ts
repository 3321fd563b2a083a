/** What the parameters behind the question mark are; whatever is not listed is text. */
const flags = ['dry_run', 'atomic', 'with_default', 'explain']
const integers = ['level', 'after', 'from', 'port', 'bk_biz_id', 'bk_inst_id']

export const isInteger = (name: string): boolean => integers.includes(name)

export function querySchema(name: string): { readonly type: string; readonly [keyword: string]: unknown } {
  if (flags.includes(name)) return { type: 'boolean', default: false }
  if (name === 'format') return { type: 'string', enum: ['csv', 'xlsx'], default: 'csv' }
  return isInteger(name) ? { type: 'integer', format: 'int64' } : { type: 'string' }
}
