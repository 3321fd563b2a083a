import { audit, defaultLimit, type Language } from '@mainline/contract'
import { readOwnJson } from '../../common/own-json.ts'
import type { Zone } from '../../common/time.ts'
import { readSort } from '../../condition/sort.ts'
import { LargeList } from '../../http/large-list.ts'
import { handle, type Route } from '../../http/route.ts'
import { StoredRow, StoredRows } from '../../http/stored-rows.ts'
import type { Storage } from '../../storage/index.ts'
import { type Content, contentOf } from '../history/recorded/index.ts'
import { attributeName, type Model, modelOf } from '../model/index.ts'
import { auditable } from '../privileges/index.ts'
import { searchChanges } from './changes.ts'
import { auditFields } from './filter.ts'
import { verifySeals } from './integrity.ts'
import { phrase } from './phrases.ts'
import { readReceipt } from './receipt.ts'
import {
  type AuditRecord,
  type FoundRecord,
  namedTargets,
  readAuditCondition,
  readAuditName,
  searchLog,
  withContents,
} from './search.ts'

export function auditRoutes(storage: Storage, zone: Zone, admins: readonly string[]): Route[] {
  return [
    handle(audit.getOperationLog, async ({ actor, body }) => {
      const search = {
        account: actor.account,
        businesses: await auditable(storage, admins, actor),
        condition: readAuditCondition(body.condition ?? {}, zone),
        name: readAuditName(body.condition ?? {}),
        order: readSort(body.sort, auditFields),
        start: body.start ?? 0,
        limit: body.limit ?? defaultLimit,
      }
      if (body.group_by) return searchChanges(storage, search, actor.language, zone)
      const { count, rows } = await searchLog(storage, search)
      const model = await modelOf(storage.read, actor.account)
      const headerOf = headers(model, actor.language)
      const show = (row: AuditRecord) => showRecord(row, headerOf(row.object_id), actor.language, zone)
      const small = rows.filter(hasContent)
      if (small.length === rows.length) return new StoredRows(count, small.map(show))
      return new LargeList(count, withContents(storage.heavy, rows)).map(show)
    }),
    handle(audit.getLogIntegrity, ({ actor, query }) => verifySeals(storage, actor.account, query.after)),
    handle(audit.getAuditReceipt, ({ actor, params }) => readReceipt(storage, admins, actor, params.position)),
  ]
}

const hasContent = (row: FoundRecord): row is FoundRecord & AuditRecord => row.content !== null

/** The JSON of the header of an object's records, made once for all records of an answer. */
function headers(model: Model, language: Language): (object: string) => string {
  const known = new Map<string, string>()
  return (object) => {
    const found = known.get(object)
    if (found) return found
    const attributes = model.objects.get(object)?.attributes ?? []
    const header = JSON.stringify(
      attributes.map((attribute) => ({
        bk_property_id: attribute.id,
        bk_property_name: attributeName(attribute, language),
      })),
    )
    known.set(object, header)
    return header
  }
}

function showRecord(row: AuditRecord, header: string, language: Language, zone: Zone) {
  const { pre, cur, undoes } = partsOf(row.content)
  const shown = {
    bk_supplier_account: row.account,
    bk_biz_id: row.biz_id,
    op_type: row.operation,
    op_desc: phrase(row.description, language),
    op_target: namedTargets.includes(row.object_id) ? row.object_id : 'object',
    bk_obj_id: row.object_id,
    operator: row.operator,
    op_from: 'user',
    ext_key: row.ext_key,
    ext_info: '',
    op_time: zone.write(row.op_time),
    inst_id: row.inst_id,
    request_id: row.request_id,
    txn_id: row.txn_id,
    undoes: [...undoes],
    op_reason: row.reason,
    revision: row.revision,
    position: row.position,
  }
  return new StoredRow(shown, `"content":{"pre_data":${pre},"cur_data":${cur},"header":${header},"type":"map"}`)
}

const beforePre = '{"pre":'
const beforeCur = ',"cur":'
const beforeUnshown = ',"unshown":'

/** Where a text is in a content, if it is there once. */
function onlyPlace(content: string, text: string): number {
  const at = content.indexOf(text)
  return at === content.lastIndexOf(text) ? at : -1
}

interface Parts {
  readonly pre: string
  readonly cur: string
  readonly undoes: readonly number[]
}

/**
 * The parts of a content, before and after as JSON. The texts between parts can appear inside of one only as a key `cur` or `unshown`: in a
 * string their quotes would be escaped. Then the content is parsed.
 */
export function partsOf(content: string): Parts {
  const [curAt, unshownAt] = [onlyPlace(content, beforeCur), onlyPlace(content, beforeUnshown)]
  if (content.startsWith(beforePre) && curAt > 0 && unshownAt > curAt) {
    const { undoes = [] } = readOwnJson<Pick<Content, 'undoes'>>(`{${content.slice(unshownAt + 1)}`)
    return {
      pre: content.slice(beforePre.length, curAt),
      cur: content.slice(curAt + beforeCur.length, unshownAt),
      undoes,
    }
  }
  const { pre, cur, undoes = [] } = contentOf({ content })
  return { pre: JSON.stringify(pre), cur: JSON.stringify(cur), undoes }
}
