import type { Language, model, Words } from '@mainline/contract'
import type { Selectable } from 'kysely'
import type { Zone } from '../../common/time.ts'
import type { Tables } from '../../storage/index.ts'
import type { Choice } from './model.ts'
import { shownName, wordsOf } from './names.ts'

type Row<Table extends keyof Tables> = Selectable<Tables[Table]>
export type ClassificationRow = Row<'classification'>
export type ObjectRow = Row<'object'>
export type GroupRow = Row<'attribute_group'>
export type AttributeRow = Row<'attribute'> & { readonly group_name: string; readonly group_preset: number }

/** How records are shown: the language of built-in names and the zone of times. */
export interface Showing {
  readonly language: Language
  readonly zone: Zone
}

/** The built-in names of a row; undefined for user-defined rows. */
export const wordsFor = {
  classification: (row: ClassificationRow): Words | undefined =>
    row.preset ? wordsOf.classification(row.classification_id) : undefined,
  object: (row: ObjectRow): Words | undefined => (row.preset ? wordsOf.object(row.object_id) : undefined),
  group: (row: Pick<GroupRow, 'group_id' | 'preset'>): Words | undefined =>
    row.preset ? wordsOf.group(row.group_id) : undefined,
  attribute: (row: Pick<AttributeRow, 'object_id' | 'attribute_id' | 'preset'>): Words | undefined =>
    row.preset ? wordsOf.attribute(row.object_id, row.attribute_id) : undefined,
}

export const showClassification = (row: ClassificationRow, { language }: Showing): model.ClassificationRecord => ({
  id: row.id,
  bk_classification_id: row.classification_id,
  bk_classification_name: shownName(wordsFor.classification(row), row.name, language),
  bk_classification_icon: row.icon,
  bk_classification_type: row.preset ? 'inner' : '',
  bk_supplier_account: row.account,
})

export const showObject = (row: ObjectRow, { language, zone }: Showing): model.ObjectRecord => ({
  id: row.id,
  bk_obj_id: row.object_id,
  bk_obj_name: shownName(wordsFor.object(row), row.name, language),
  bk_obj_icon: row.icon,
  bk_classification_id: row.classification_id,
  bk_supplier_account: row.account,
  ispre: row.preset === 1,
  bk_ispaused: row.paused === 1,
  creator: row.creator,
  create_time: zone.write(row.create_time),
  last_time: zone.write(row.last_time),
})

export const showGroup = (row: GroupRow, { language }: Showing): model.GroupRecord => ({
  id: row.id,
  bk_group_id: row.group_id,
  bk_group_name: shownName(wordsFor.group(row), row.name, language),
  bk_group_index: row.position,
  bk_obj_id: row.object_id,
  bk_isdefault: row.group_id === 'default',
  ispre: row.preset === 1,
  bk_supplier_account: row.account,
})

/** Attributes that identify an instance. */
const identifying = new Set([
  'bk_biz_name',
  'bk_set_name',
  'bk_module_name',
  'bk_process_name',
  'bk_cloud_name',
  'bk_inst_name',
  'bk_host_innerip',
])

export const showAttribute = (row: AttributeRow, { language, zone }: Showing): model.AttributeRecord => ({
  id: row.id,
  bk_supplier_account: row.account,
  bk_obj_id: row.object_id,
  bk_property_id: row.attribute_id,
  bk_property_name: shownName(wordsFor.attribute(row), row.name, language),
  bk_property_type: row.type,
  bk_property_group: row.group_id,
  bk_property_group_name: shownName(
    wordsFor.group({ group_id: row.group_id, preset: row.group_preset }),
    row.group_name,
    language,
  ),
  bk_property_index: row.position,
  option: showOption(row, language),
  unit: row.unit,
  placeholder: row.placeholder,
  editable: row.editable === 1,
  isrequired: row.required === 1,
  ispre: row.preset === 1,
  isreadonly: false,
  isonly: row.preset === 1 && identifying.has(row.attribute_id),
  searchable: row.searchable !== 0,
  bk_searchable_state: row.searchable === 0 ? '' : row.filled ? 'ready' : 'filling',
  creator: row.creator,
  create_time: zone.write(row.create_time),
  last_time: zone.write(row.last_time),
})

/** An option that is not set reads as the empty value of its type: '' for the pattern of a text, null otherwise. */
function showOption(row: AttributeRow, language: Language): unknown {
  if (row.options === '') return row.type === 'singlechar' || row.type === 'longchar' ? '' : null
  const option: unknown = JSON.parse(row.options)
  if (row.type !== 'enum' || !row.preset) return option
  return (option as Choice[]).map((choice) => ({
    ...choice,
    name: shownName(wordsOf.choice(row.object_id, row.attribute_id, choice.id), choice.name, language),
  }))
}
