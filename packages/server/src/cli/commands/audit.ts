import { audit, type DataOf, operationTypes } from '@mainline/contract'
import { isKeyOf } from '../../common/keys.ts'
import { businessOf } from '../arguments/business.ts'
import type { Given } from '../arguments/flags.ts'
import { localTime, momentOf } from '../arguments/moment.ts'
import { misused, oneOf, wholeNumber, wordsOf } from '../arguments/usage.ts'
import { connect } from '../connection/connection.ts'
import { changeText, padded, textOf, visible } from '../output/cells.ts'
import { outputTo } from '../output/output.ts'
import { firstOf } from './get.ts'

type LogRow = Required<DataOf<typeof audit.getOperationLog>['info'][number]>

export async function auditCommand(given: Given): Promise<void> {
  wordsOf(given, 'audit', 0)
  const limit = wholeNumber(given, 'limit', 1)
  const period = periodOf(given)
  const type = typeOf(given)
  const connection = await connect(given)
  const business = await businessOf(connection, given)
  const [operator, target, reason] = [given.value('operator'), given.value('target'), given.value('reason')]
  const condition = {
    op_time: period,
    ...(business !== undefined && { bk_biz_id: business }),
    ...(operator !== undefined && { operator }),
    ...(target !== undefined && { op_target: target }),
    ...(type !== undefined && { op_type: type }),
    ...(reason !== undefined && { op_reason: { $regex: RegExp.escape(reason) } }),
  }
  const output = outputTo()
  const show = given.value('output') === 'json' ? (row: LogRow) => JSON.stringify(row) : auditLine
  const pageSize = limit !== undefined && limit < 200 ? { limit } : {}
  const rows = connection.client.all(audit.getOperationLog, { body: { condition }, ...pageSize })
  for await (const row of firstOf(rows, limit)) await output.write(`${show(row as LogRow)}\n`)
  await output.flush()
}

/** Ends now by default: records written while pages are read would shift the following pages. */
function periodOf(given: Given): string[] {
  const now = Date.now()
  const [since, until] = [given.value('since'), given.value('until')]
  const from = since === undefined ? 0 : momentOf('since', since, now)
  const to = until === undefined ? now : momentOf('until', until, now)
  if (from > to) throw misused('--since is later than --until.')
  return [from, to].map((moment) => new Date(moment).toISOString())
}

function typeOf(given: Given): number | undefined {
  const type = oneOf(given, 'type', Object.keys(operationTypes))
  return type !== undefined && isKeyOf(operationTypes, type) ? operationTypes[type] : undefined
}

/** A record as one line: time, user, operation, object, and the changed fields of an update. */
function auditLine({
  op_time,
  operator,
  op_desc,
  bk_obj_id,
  inst_id,
  bk_biz_id,
  ext_key,
  op_reason,
  content,
}: LogRow): string {
  const { pre_data, cur_data } = content
  const name = ext_key || recordName(cur_data ?? pre_data ?? {}, bk_obj_id)
  const what = `${name ? `${name} ` : ''}(${[bk_obj_id, inst_id || ''].join(' ').trim()})`
  const changes = pre_data && cur_data ? changesOf(pre_data, cur_data) : []
  const parts = [
    localTime(Date.parse(op_time)),
    padded(visible(operator), 10),
    padded(visible(op_desc), 14),
    visible(what),
    ...(bk_biz_id > 0 && bk_obj_id !== 'biz' ? [`business ${bk_biz_id}`] : []),
    ...changes,
    ...(op_reason ? [`reason: ${visible(op_reason)}`] : []),
  ]
  return parts.join('  ')
}

/** The name field differs between kinds. */
function recordName(record: Readonly<Record<string, unknown>>, object: string): string {
  const names = [`bk_${object}_name`, 'bk_inst_name', 'name', 'group_name', 'subscription_name', 'bk_obj_name']
  return textOf(names.map((name) => record[name]).find((value) => typeof value === 'string' && value !== ''))
}

/** Fields that differ in every update. */
const alwaysChanged = new Set(['last_time', 'modify_user'])

function changesOf(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !alwaysChanged.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => changeText(name, before[name], after[name]))
}
