// Records of nodes, hosts and placements as stored rows.
import type { Snapshot, Unshown } from '../../../storage/index.ts'
import { nameField, systemFields } from '../../model/index.ts'
import { idField } from '../../topology/index.ts'
import { type Columns, nodeKey, type RowChange } from './rows.ts'
import { instant, integer, isRecord, records, text } from './values.ts'

/** An instance before and after, as its record shows it. */
export interface Shown {
  readonly before: Snapshot | null
  readonly after: Snapshot | null
  readonly unshown: Unshown
  /** Of the instance after the change; what is deleted had the one before. */
  readonly revision: number
}

type Side = 'before' | 'after'

const revisionOf = ({ revision }: Shown, side: Side) => (side === 'after' ? revision : revision - 1)

/** Attributes as they are stored: what is unset is left out, and what the model does not show is kept with the record. */
function attributesOf(record: Snapshot, isColumn: (field: string) => boolean, unshown: Snapshot = {}): Columns {
  const shown = Object.entries(record).filter(([id, value]) => !isColumn(id) && value !== null && value !== '')
  return { ...Object.fromEntries(shown), ...unshown }
}

export function nodeChange(object: string, id: number, shown: Shown): RowChange {
  const row = (side: Side) => {
    const record = shown[side]
    return record && nodeRow(object, record, shown.unshown[side], revisionOf(shown, side))
  }
  return { kind: 'node', key: nodeKey(object, id), before: row('before'), after: row('after') }
}

function nodeRow(object: string, record: Snapshot, unshown: Snapshot | undefined, revision: number): Columns {
  const [idName, name] = [idField(object), nameField(object)]
  const isColumn = (field: string) => field === idName || field === name || systemFields.has(field)
  const id = integer(record, idName)
  return {
    object_id: object,
    inst_id: id,
    biz_id: object === 'biz' ? id : integer(record, 'bk_biz_id'),
    parent_id: object === 'biz' ? 0 : integer(record, 'bk_parent_id'),
    name: text(record, name),
    built_in: integer(record, 'default'),
    attributes: attributesOf(record, isColumn, unshown),
    creator: text(record, 'creator'),
    create_time: instant(record, 'create_time'),
    last_time: instant(record, 'last_time'),
    revision,
    ...(object === 'biz' && { status: text(record, 'bk_data_status') }),
  }
}

export function hostChange(id: number, shown: Shown): RowChange {
  const row = (side: Side) => {
    const record = shown[side]
    return record && hostRow(record, shown.unshown[side], revisionOf(shown, side))
  }
  return { kind: 'host', key: String(id), before: row('before'), after: row('after') }
}

const hostColumns = new Set([
  'bk_host_id',
  'bk_host_innerip',
  'bk_cloud_id',
  'bk_supplier_account',
  'create_time',
  'last_time',
])

function hostRow(record: Snapshot, unshown: Snapshot | undefined, revision: number): Columns {
  return {
    host_id: integer(record, 'bk_host_id'),
    cloud_id: integer(record, 'bk_cloud_id'),
    inner_ip: text(record, 'bk_host_innerip'),
    attributes: attributesOf(record, (field) => hostColumns.has(field), unshown),
    create_time: instant(record, 'create_time'),
    last_time: instant(record, 'last_time'),
    revision,
  }
}

/** A move: the host has another revision and is in other modules. The record is filed under one business, the snapshots name both. */
export function moveChanges(id: number, { before, after, revision }: Shown): RowChange[] {
  const place = (record: Snapshot | null) =>
    record && {
      biz_id: integer(record, 'bk_biz_id'),
      modules: records(record, 'module').map((each) => integer(each, 'bk_module_id')),
    }
  const key = String(id)
  return [
    { kind: 'host', key, before: { revision: revision - 1 }, after: { revision } },
    { kind: 'placement', key, before: place(before), after: place(after) },
  ]
}

/** Where a host was placed when it was created or deleted: only the events of its record tell. */
export function placementOf(id: number, events: readonly Snapshot[], side: Side): RowChange {
  const moved = events.flatMap((event) => {
    const module = event[side]
    return event.name === 'moduletransfer' && isRecord(module) ? [module] : []
  })
  const place = {
    biz_id: moved[0] ? integer(moved[0], 'bk_biz_id') : 0,
    modules: moved.map((each) => integer(each, 'bk_module_id')).toSorted((one, other) => one - other),
  }
  const none = { before: null, after: null }
  return { kind: 'placement', key: String(id), ...none, [side]: place }
}
