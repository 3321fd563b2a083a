import { type DataOf, history } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import type { AuditRecord } from '../audit/diff.ts'
import { linesOf, targetOf } from '../audit/versions.ts'

export type Diff = DataOf<typeof history.getDiff>
type DiffRow = Diff['info'][number]

/** What is compared, as the address names it. */
export interface Compared {
  readonly business?: string
  readonly query?: string
  readonly object?: string
  readonly instance?: string
  readonly from?: string
  readonly to?: string
}

export const diffPageSize = 50

/** Undefined if the address names nothing, or no earlier moment. */
export function bodyOfDiff({ business, query, object, instance, from, to }: Compared, start: number) {
  const subject =
    query !== undefined
      ? { query_id: query }
      : object !== undefined && instance !== undefined
        ? { bk_obj_id: object, bk_inst_id: Number(instance) }
        : business !== undefined && { bk_biz_id: Number(business) }
  if (!subject || from === undefined) return undefined
  return { ...subject, from, ...(to !== undefined && { to }), page: { start, limit: diffPageSize } }
}

export const differencesBetween = (body: NonNullable<ReturnType<typeof bodyOfDiff>>) => ({
  ...ask(history.getDiff, { body }),
  staleTime: 0,
})

/** A row in the form of a record of the audit log, with the fields that differ alone. */
export function recordOfRow(row: DiffRow): AuditRecord {
  const sides = { before: new Map<string, unknown>(), after: new Map<string, unknown>() }
  for (const { bk_property_id: id, before, after } of row.fields) {
    sides.before.set(id, before)
    sides.after.set(id, after)
  }
  if (row.left.length + row.entered.length > 0) {
    sides.before.set('placement', linesOf(row.left))
    sides.after.set('placement', linesOf(row.entered))
  }
  return {
    ...row,
    bk_biz_id: 0,
    op_type: 2,
    op_desc: '',
    inst_id: row.bk_inst_id,
    op_target: targetOf(row.bk_obj_id),
    ext_key: row.name,
    undoes: [],
    content: {
      pre_data: Object.fromEntries(sides.before),
      cur_data: Object.fromEntries(sides.after),
      header: row.fields.map(({ bk_property_id, bk_property_name }) => ({ bk_property_id, bk_property_name })),
    },
  }
}
