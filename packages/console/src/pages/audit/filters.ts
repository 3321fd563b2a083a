import { patternOf } from '../../api/pattern.ts'
import { instantOf } from '../../zone.ts'

/** The filters as stored in the address. */
export interface AuditFilters {
  readonly business?: string
  readonly target?: string
  readonly type?: string
  readonly operator?: string
  readonly instance?: string
  readonly key?: string
  /** The name of an instance. */
  readonly name?: string
  readonly txn?: string
  readonly request?: string
  readonly reason?: string
  readonly from?: string
  readonly to?: string
  readonly start?: string
  readonly record?: string
  /** "records" lists single records; by default changes are listed. */
  readonly view?: string
}

/** In the form of the API. Days are whole: from the first second of one to the last of the other. */
export function conditionOf(filters: AuditFilters): Record<string, unknown> {
  const condition: Record<string, unknown> = {}
  if (filters.business) condition.bk_biz_id = Number(filters.business)
  if (filters.target) condition.op_target = filters.target
  if (filters.type) condition.op_type = filters.type
  if (filters.operator) condition.operator = filters.operator.trim()
  if (filters.instance) condition.inst_id = /^\d+$/.test(filters.instance) ? Number(filters.instance) : filters.instance
  if (filters.name) condition.inst_name = filters.name.trim()
  if (filters.txn) condition.txn_id = filters.txn
  if (filters.request) condition.request_id = filters.request
  if (filters.key) condition.ext_key = filters.key.trim()
  if (filters.reason) condition.op_reason = { $regex: patternOf(filters.reason) }
  const [from, to] = [momentOf(filters.from, '00:00:00'), momentOf(filters.to, '23:59:59.999')]
  if (from || to) condition.op_time = { ...(from && { $gte: from }), ...(to && { $lte: to }) }
  return condition
}

/** Invalid days in the address are ignored. */
export const dayIn = (text: string | undefined): string =>
  text && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''

/** A day is in the reader's time zone: it is sent with its offset. */
function momentOf(text: string | undefined, time: string): string | undefined {
  const day = dayIn(text)
  return day ? instantOf(`${day}T${time}`) : undefined
}
