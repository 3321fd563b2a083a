import { type Attribute, toWords } from '../../forms/attributes.ts'
import { moment } from '../../words/index.ts'

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
  /** Of the instance, where it is known. */
  readonly name?: string
  readonly request_id: string
  readonly txn_id: string
  /** Positions of the records that it undoes. */
  readonly undoes: readonly number[]
  readonly op_reason: string
}

export interface Difference {
  readonly id: string
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

/** Different in every change, or the same in all, so they are not shown. */
const noise = new Set(['last_time', 'bk_supplier_account', 'bk_obj_id', 'default'])

/** The text of a stored value: names of choices, local times. */
export type ShowValue = (field: string, value: unknown) => string

const asStored: ShowValue = (_, value) => shownValue(undefined, value, { yes: 'true', no: 'false' })

/** Changed fields, attributes of the model first and by name; for created or deleted records, only fields with a value. */
export function differencesOf({ content }: AuditRecord, show: ShowValue = asStored): Difference[] {
  const [before, after] = [placed(content.pre_data), placed(content.cur_data)]
  const named = new Map(content.header.map((each) => [each.bk_property_id, each.bk_property_name]))
  const present = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  const inOrder = [...named.keys()].filter((id) => present.has(id)).concat([...present].filter((id) => !named.has(id)))
  const side = (values: Values | null, id: string) => (values ? show(id, values[id]) : null)
  return inOrder
    .filter((id) => !noise.has(id))
    .map((id) => ({ id, name: named.get(id) ?? id, before: side(before, id), after: side(after, id) }))
    .filter((each) => (each.before ?? '') !== (each.after ?? ''))
}

type Values = Readonly<Record<string, unknown>>
interface Placement {
  readonly set: readonly { bk_set_id: number; bk_set_name: string }[]
  readonly module: readonly { bk_module_name: string; bk_set_id: number }[]
}
const hasPlacement = (values: Values): values is Values & Placement =>
  Array.isArray(values.module) && Array.isArray(values.set)

/** The sets and modules of a moved host as one field: "set / module", one per line. */
function placed(values: Values | null): Values | null {
  if (!values || !hasPlacement(values)) return values
  const { set: sets, module: modules, bk_biz_id: _, ...rest } = values
  const nameOf = (id: number) => sets.find((set) => set.bk_set_id === id)?.bk_set_name
  const lines = modules.map((module) => [nameOf(module.bk_set_id), module.bk_module_name].filter(Boolean).join(' / '))
  return { ...rest, placement: lines.join('\n') }
}

const moments = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

/** A stored value for display; empty if it is not set. */
export function shownValue(
  attribute: Attribute | undefined,
  value: unknown,
  words: { yes: string; no: string },
): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') return JSON.stringify(value, null, 2)
  if (typeof value === 'string' && moments.test(value)) return moment(value)
  return attribute ? toWords(attribute, value, words) : String(value)
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
export function subjectOf({ content, op_target, ext_key: key, inst_id: id, name: known }: AuditRecord): string {
  if (known) return known
  const values = content.cur_data ?? content.pre_data ?? {}
  const name = names.map((key) => values[key]).find((value) => typeof value === 'string' && value !== '')
  return (op_target === 'host' && key) || (name as string | undefined) || key || `#${id}`
}
