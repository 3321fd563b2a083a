import type { history } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import type { Caller } from '../../../http/route.ts'
import type { LogRecord, Reader } from '../../../storage/index.ts'
import { phrase } from '../../audit/index.ts'
import { type Model, modelOf } from '../../model/index.ts'
import { contentOf } from '../recorded/index.ts'
import { fieldDifferences, fieldLabel } from './fields.ts'
import { logOf } from './members.ts'
import { withNames } from './names.ts'
import { type Part, type Places, partsOf } from './parts.ts'
import type { Root } from './root.ts'

/** The records at these positions as versions, newest first. Of a record about several instances, the one that the history is about. */
export async function readVersions(
  reader: Reader,
  positions: readonly number[],
  root: Root,
  { language }: Caller,
  zone: Zone,
): Promise<history.Version[]> {
  const records = await logOf(reader, root.account)
    .selectAll()
    .where((eb) => reader.dialect.among(eb.ref('position'), positions, 'integer'))
    .orderBy('position', 'desc')
    .execute()
  const model = await modelOf(reader, root.account)
  const parts = records.flatMap((record) => {
    const all = partsOf(record)
    const part = all.find(({ object, id }) => object === root.object && id === root.id) ?? all[0]
    return part ? [{ record, part }] : []
  })
  const places = parts.flatMap(({ part }) => (part.places ? [...part.places.before, ...part.places.after] : []))
  const named = await withNames(reader, root.account, places)
  const shownPlaces = ({ before, after }: Places): Places => ({ before: before.map(named), after: after.map(named) })
  return parts.map(({ record, part }) => {
    const shown = part.places ? { ...part, places: shownPlaces(part.places) } : part
    return showVersion(record, shown, { model, language, zone })
  })
}

interface VersionShowing {
  readonly model: Model
  readonly language: Caller['language']
  readonly zone: Zone
}

function showVersion(record: LogRecord, part: Part, { model, language, zone }: VersionShowing): history.Version {
  const { object, id, before, after } = part
  const isUpdate = before !== null && after !== null
  const { cur, undoes = [] } = contentOf(record)
  return {
    ...authorOf(record, zone),
    op_type: record.operation,
    op_desc: phrase(record.description, language),
    bk_biz_id: record.biz_id,
    bk_obj_id: object,
    bk_inst_id: id,
    name: part.name,
    revision: part.revision,
    undoes: [...undoes],
    changes: (isUpdate ? fieldDifferences(before, after) : []).map(({ field, ...each }) => ({
      bk_property_id: field,
      bk_property_name: fieldLabel(model, object, field, language),
      ...each,
    })),
    moved: part.places ? movedBetween(part.places) : null,
    data: before === null && after === null ? cur : after,
  }
}

export const authorOf = (record: LogRecord, zone: Zone) => ({
  position: record.position ?? 0,
  operator: record.operator,
  op_time: zone.write(record.op_time),
  op_reason: record.reason,
  request_id: record.request_id,
  txn_id: record.txn_id,
})

/** Where no record is known. */
export const unknownAuthor = {
  position: null,
  operator: '',
  op_time: '',
  op_reason: '',
  request_id: '',
  txn_id: '',
}

export function movedBetween({ before, after }: Places): {
  left: history.ModuleOfHost[]
  entered: history.ModuleOfHost[]
} {
  const isAmong = (list: Places['before'], module: history.ModuleOfHost) =>
    list.some((each) => each.bk_module_id === module.bk_module_id)
  return {
    left: before.filter((module) => !isAmong(after, module)),
    entered: after.filter((module) => !isAmong(before, module)),
  }
}
