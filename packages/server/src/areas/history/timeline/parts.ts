// What a record says about instances, in the names and values of the interface.
import type { history } from '@mainline/contract'
import { operationTypes } from '@mainline/contract'
import { readOwnJson } from '../../../common/own-json.ts'
import type { LogRecord, Snapshot } from '../../../storage/index.ts'
import { nameField } from '../../model/index.ts'
import { idField } from '../../topology/index.ts'
import { contentOf, integer, isRecord, nameIn, records, text } from '../recorded/index.ts'

export type PlacedModule = history.ModuleOfHost

/** One instance before and after a record. */
export interface Part {
  readonly object: string
  readonly id: number
  readonly name: string
  /** Null where it did not exist. Of a move both are null. */
  readonly before: Snapshot | null
  readonly after: Snapshot | null
  /** The modules of a host, where the record is about them. */
  readonly places?: Places
  readonly revision: number
}

export interface Places {
  readonly before: readonly PlacedModule[]
  readonly after: readonly PlacedModule[]
}

export type PartRecord = Pick<
  LogRecord,
  'object_id' | 'inst_id' | 'operation' | 'content' | 'events' | 'ext_key' | 'revision'
>

/** The instance of the record, and the built-in ones that were created or deleted with a business. */
export function partsOf(record: PartRecord): Part[] {
  const { object_id: object, inst_id: id, revision } = record
  const { pre, cur } = contentOf(record)
  const own = { object, id, name: nameIn(record), revision }
  if (record.operation === operationTypes.transfer) {
    return [{ ...own, before: null, after: null, places: { before: modulesIn(pre), after: modulesIn(cur) } }]
  }
  const part: Part = { ...own, before: pre, after: cur }
  if (object === 'host' && !(pre && cur)) return [{ ...part, places: placesIn(record) }]
  return object === 'biz' && !(pre && cur) ? [part, ...builtInParts(record)] : [part]
}

/** Where a host was, as records of moves show it. */
function modulesIn(record: Snapshot | null): PlacedModule[] {
  if (!record) return []
  const sets = new Map(records(record, 'set').map((set) => [set.bk_set_id, text(set, 'bk_set_name')]))
  return records(record, 'module').map((module) => ({
    bk_biz_id: integer(record, 'bk_biz_id'),
    bk_biz_name: text(record, 'bk_biz_name'),
    bk_set_id: integer(module, 'bk_set_id'),
    bk_set_name: sets.get(module.bk_set_id) ?? '',
    bk_module_id: integer(module, 'bk_module_id'),
    bk_module_name: text(module, 'bk_module_name'),
  }))
}

const eventsOf = ({ events }: PartRecord): Snapshot[] => readOwnJson<Snapshot[]>(events)

/** Where a host was placed when it was created or deleted: the events of the record have the ids. */
function placesIn(record: PartRecord): Places {
  const side = (name: 'before' | 'after') =>
    eventsOf(record).flatMap((event): PlacedModule[] => {
      const module = event.name === 'moduletransfer' ? event[name] : undefined
      if (!isRecord(module)) return []
      const [bk_biz_id, bk_set_id] = [integer(module, 'bk_biz_id'), integer(module, 'bk_set_id')]
      const bk_module_id = integer(module, 'bk_module_id')
      return [{ bk_biz_id, bk_biz_name: '', bk_set_id, bk_set_name: '', bk_module_id, bk_module_name: '' }]
    })
  return { before: side('before'), after: side('after') }
}

function builtInParts(record: PartRecord): Part[] {
  return eventsOf(record).flatMap((event): Part[] => {
    const [before, after] = [event.before, event.after].map((side) => (isRecord(side) ? side : null))
    const shown = after ?? before
    if (!shown || typeof shown.bk_obj_id !== 'string') return []
    const object = shown.bk_obj_id
    const name = text(shown, nameField(object))
    const id = integer(shown, idField(object))
    return [{ object, id, name, before: before ?? null, after: after ?? null, revision: Number(event.revision ?? 0) }]
  })
}
