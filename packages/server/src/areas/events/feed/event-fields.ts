import type { Field, Fields } from '../../../condition/condition.ts'
import type { Snapshot } from '../../../storage/index.ts'
import { hostFields } from '../../hosts/index.ts'
import { type Model, objectOf } from '../../model/index.ts'
import { fieldsOf } from '../../topology/index.ts'
import { association, followed, identity, moved, queryIn } from './names.ts'

const integer = (name: string): [string, Field] => [name, { type: 'integer', at: { attribute: name } }]
const text = (name: string): [string, Field] => [name, { type: 'text', at: { attribute: name } }]

const ofMoves: Fields = new Map([
  ...['bk_biz_id', 'bk_set_id', 'bk_module_id', 'bk_host_id'].map(integer),
  text('bk_supplier_account'),
])

const ofIdentities: Fields = new Map([
  ...['bk_host_id', 'bk_cloud_id'].map(integer),
  ...['bk_supplier_account', 'bk_cloud_name'].map(text),
  ['bk_host_innerip', { type: 'text', at: { attribute: 'bk_host_innerip' }, isList: true }],
])

const ofAssociations: Fields = new Map([
  ...['id', 'bk_inst_id', 'bk_asst_inst_id'].map(integer),
  ...['bk_supplier_account', 'bk_obj_asst_id', 'bk_asst_id', 'bk_obj_id', 'bk_asst_obj_id'].map(text),
])

/** The fields of the records in events of a kind, as conditions compare them; none if the kind no longer exists. */
export function fieldsOfKind(kind: string, model: Model): Fields {
  if (kind === moved) return ofMoves
  if (kind === identity) return ofIdentities
  if (kind === association) return ofAssociations
  if (kind === 'host') return hostFields(objectOf(model, 'host'))
  if (queryIn(kind) !== undefined) return new Map([integer('bk_biz_id'), ...hostFields(objectOf(model, 'host'))])
  const object = model.objects.get(kind)
  return object ? fieldsOf(object) : new Map()
}

/** The kinds of events that a stream without a resource contains. */
export const kindsOfStream = (model: Model): string[] => [...followed(model), moved, association]

/** Values by field; of an event of a saved query, those of its host. */
export const valuesIn = (kind: string, record: Snapshot | null | undefined): Snapshot | undefined =>
  record && queryIn(kind) !== undefined ? { ...record, ...(record.host as Snapshot) } : (record ?? undefined)
