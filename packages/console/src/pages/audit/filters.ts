/** The filters as the address keeps them. */
export interface AuditFilters {
  readonly business?: string
  readonly target?: string
  readonly type?: string
  readonly operator?: string
  readonly instance?: string
  readonly key?: string
  readonly from?: string
  readonly to?: string
  readonly start?: string
  readonly record?: string
}

/** As the interface wants them. Days are whole: from the first second of one to the last of the other. */
export function conditionOf(filters: AuditFilters): Record<string, unknown> {
  const condition: Record<string, unknown> = {}
  if (filters.business) condition.bk_biz_id = Number(filters.business)
  if (filters.target) condition.op_target = filters.target
  if (filters.type) condition.op_type = filters.type
  if (filters.operator) condition.operator = filters.operator.trim()
  if (filters.instance) condition.inst_id = /^\d+$/.test(filters.instance) ? Number(filters.instance) : filters.instance
  if (filters.key) condition.ext_key = filters.key.trim()
  if (filters.from || filters.to) {
    condition.op_time = [startOfDay(filters.from ?? '1970-01-01'), endOfDay(filters.to ?? '9999-12-31')]
  }
  return condition
}

/** A day is the reader's: it is sent with its offset. */
const startOfDay = (day: string) => new Date(`${day}T00:00:00`).toISOString()
const endOfDay = (day: string) => new Date(`${day}T23:59:59.999`).toISOString()
