import { audit, defaultLimit, type Language } from '@mainline/contract'
import { readSort } from '../../platform/condition/sort.ts'
import { handle, type Route } from '../../platform/http/route.ts'
import type { LogRecord, Storage } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { attributeName, type Model, modelOf } from '../model/index.ts'
import { auditable } from '../privileges/index.ts'
import { auditFields } from './filter.ts'
import { lookAtSeals } from './integrity.ts'
import { phrase } from './phrases.ts'
import { namedTargets, readAuditCondition, searchLog } from './search.ts'

export function auditRoutes(storage: Storage, zone: Zone, admins: readonly string[]): Route[] {
  return [
    handle(audit.getOperationLog, async ({ actor, body }) => {
      const { count, rows } = await searchLog(storage.heavy, {
        account: actor.account,
        businesses: await auditable(storage, admins, actor),
        condition: readAuditCondition(body.condition ?? {}, zone),
        order: readSort(body.sort, auditFields),
        start: body.start ?? 0,
        limit: body.limit ?? defaultLimit,
      })
      const model = await modelOf(storage.read, actor.account)
      return { count, info: rows.map((row) => showRecord(row, model, actor.language, zone)) }
    }),
    handle(audit.getLogIntegrity, ({ query }) => lookAtSeals(storage, query.after)),
  ]
}

function showRecord(row: LogRecord, model: Model, language: Language, zone: Zone) {
  const { pre, cur } = JSON.parse(row.content) as {
    pre: Record<string, unknown> | null
    cur: Record<string, unknown> | null
  }
  const attributes = model.objects.get(row.object_id)?.attributes ?? []
  return {
    bk_supplier_account: row.account,
    bk_biz_id: row.biz_id,
    op_type: row.operation,
    op_desc: phrase(row.description, language),
    op_target: namedTargets.includes(row.object_id) ? row.object_id : 'object',
    bk_obj_id: row.object_id,
    operator: row.operator,
    op_from: 'user',
    content: {
      pre_data: pre,
      cur_data: cur,
      header: attributes.map((attribute) => ({
        bk_property_id: attribute.id,
        bk_property_name: attributeName(attribute, language),
      })),
      type: 'map' as const,
    },
    ext_key: row.ext_key,
    ext_info: '',
    op_time: zone.write(row.op_time),
    inst_id: row.inst_id,
    request_id: row.request_id,
  }
}
