import { audit } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import type { AuditRecord } from './diff.ts'

export const pageSize = 50

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

/** Matching records, newest first. */
export const findRecords = (condition: Record<string, unknown>, start: number, limit = pageSize) => ({
  ...ask(audit.getOperationLog, { body: { condition, start, limit, sort: '-op_time' } }),
  staleTime: 0,
  select: (found: { count: number; info: unknown[] }) => ({
    count: found.count,
    records: (found.info as AuditRecord[]).map(recordIn),
  }),
})
