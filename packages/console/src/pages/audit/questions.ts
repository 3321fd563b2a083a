import { audit, type DataOf } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import type { AuditRecord } from './diff.ts'

/** Clients of bk-cmdb find the id of the object here. */
const plainTargets: readonly string[] = [
  'biz',
  'set',
  'module',
  'host',
  'model',
  'userapi',
  'usergroup',
  'privilege',
  'subscription',
  'history',
]
const recordIn = (record: AuditRecord): AuditRecord =>
  plainTargets.includes(record.op_target) ? record : { ...record, op_target: 'object' }

/** What one request did in one transaction. */
export type Change = Required<
  Pick<
    DataOf<typeof audit.getOperationLog>['info'][number],
    'operator' | 'op_time' | 'op_reason' | 'txn_id' | 'request_id' | 'summary' | 'counts' | 'record_count' | 'records'
  >
>

/** Changes with a matching record, newest first. */
export const findChanges = (condition: Record<string, unknown>, start: number, limit: number) => ({
  ...ask(audit.getOperationLog, { body: { condition, start, limit, group_by: 'txn' } }),
  staleTime: 0,
  select: (found: { count: number; info: unknown[] }) => ({ count: found.count, changes: found.info as Change[] }),
})

const looks: Readonly<Record<number, string>> = { 1: 'add', 2: 'update', 3: 'delete', 100: 'transfer' }

/** The style of a record or a change: that of an update if its operations differ. */
export function looksOf(operations: readonly number[]): string {
  const [first = 2, ...others] = new Set(operations)
  return looks[others.length > 0 ? 2 : first] ?? ''
}

/** Matching records, newest first. */
export const findRecords = (condition: Record<string, unknown>, start: number, limit: number) => ({
  ...ask(audit.getOperationLog, { body: { condition, start, limit, sort: '-op_time' } }),
  staleTime: 0,
  select: (found: { count: number; info: unknown[] }) => ({
    count: found.count,
    records: (found.info as AuditRecord[]).map(recordIn),
  }),
})
