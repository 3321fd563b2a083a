export interface AuditRecord {
  readonly bk_biz_id: number
  readonly op_type: number
  readonly op_desc: string
  readonly op_target: string
  readonly bk_obj_id: string
  readonly operator: string
  readonly content: {
    readonly pre_data: Readonly<Record<string, unknown>> | null
    readonly cur_data: Readonly<Record<string, unknown>> | null
    readonly header: readonly { bk_property_id: string; bk_property_name: string }[]
  }
  readonly ext_key: string
  readonly op_time: string
  readonly inst_id: number
  readonly request_id: string
  readonly op_reason: string
}

export interface Difference {
  readonly id: string
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

/** Different in every change, so it is not shown. */
const noise = new Set(['last_time'])

/** Changed fields, attributes of the model first and by name; for created or deleted records, only fields with a value. */
export function differencesOf({ content }: AuditRecord): Difference[] {
  const { pre_data: before, cur_data: after, header } = content
  const named = new Map(header.map((each) => [each.bk_property_id, each.bk_property_name]))
  const present = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  const inOrder = [...named.keys()].filter((id) => present.has(id)).concat([...present].filter((id) => !named.has(id)))
  return inOrder
    .filter((id) => !noise.has(id))
    .map((id) => ({ id, name: named.get(id) ?? id, before: side(before, id), after: side(after, id) }))
    .filter((each) => (each.before ?? '') !== (each.after ?? ''))
}

function side(values: Readonly<Record<string, unknown>> | null, id: string): string | null {
  const value = values?.[id]
  if (value === undefined || value === null) return values ? '' : null
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** The record's own name comes first: a module also contains the names of its parents. */
const names = [
  'bk_property_name',
  'bk_group_name',
  'bk_module_name',
  'bk_set_name',
  'bk_inst_name',
  'bk_obj_name',
  'bk_classification_name',
  'bk_biz_name',
  'subscription_name',
  'group_name',
  'name',
]

/** The name of the record's instance, current or previous; the address for a host. */
export function subjectOf({ content, op_target, ext_key: key, inst_id: id }: AuditRecord): string {
  const values = content.cur_data ?? content.pre_data ?? {}
  const name = names.map((key) => values[key]).find((value) => typeof value === 'string' && value !== '')
  return (op_target === 'host' && key) || (name as string | undefined) || key || `#${id}`
}
