import type { Words } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import type { Fields, FieldType } from '../../condition/condition.ts'
import { parseCondition } from '../../condition/parse.ts'
import { sift } from '../../condition/sift.ts'
import { inColumn } from '../../storage/index.ts'
import {
  type AttributeRow,
  type ClassificationRow,
  type ObjectRow,
  type Showing,
  showAttribute,
  showClassification,
  showObject,
  wordsFor,
} from './records.ts'

/** How records of one kind are filtered: by the fields that they are shown with. */
interface Searched<Row> {
  readonly fields: Record<string, FieldType>
  /** The name field; built-in rows match by their name in every language. */
  readonly name: string
  readonly words: (row: Row) => Words | undefined
  readonly show: (row: Row, showing: Showing) => Record<string, unknown>
}

const times = { creator: 'text', create_time: 'instant', last_time: 'instant' } as const

const searchedClassifications: Searched<ClassificationRow> = {
  fields: {
    id: 'integer',
    bk_classification_id: 'text',
    bk_classification_name: 'text',
    bk_classification_icon: 'text',
    bk_classification_type: 'text',
    bk_supplier_account: 'text',
  },
  name: 'bk_classification_name',
  words: wordsFor.classification,
  show: showClassification,
}

const searchedObjects: Searched<ObjectRow> = {
  fields: {
    id: 'integer',
    bk_obj_id: 'text',
    bk_obj_name: 'text',
    bk_obj_icon: 'text',
    bk_classification_id: 'text',
    bk_supplier_account: 'text',
    ispre: 'boolean',
    bk_ispaused: 'boolean',
    ...times,
  },
  name: 'bk_obj_name',
  words: wordsFor.object,
  show: showObject,
}

const searchedAttributes: Searched<AttributeRow> = {
  fields: {
    id: 'integer',
    bk_supplier_account: 'text',
    bk_obj_id: 'text',
    bk_property_id: 'text',
    bk_property_name: 'text',
    bk_property_type: 'text',
    bk_property_group: 'text',
    bk_property_index: 'integer',
    unit: 'text',
    placeholder: 'text',
    editable: 'boolean',
    isrequired: 'boolean',
    ispre: 'boolean',
    isreadonly: 'boolean',
    isonly: 'boolean',
    searchable: 'boolean',
    bk_searchable_state: 'text',
    ...times,
  },
  name: 'bk_property_name',
  words: wordsFor.attribute,
  show: showAttribute,
}

/** A model is small: its rows are filtered in memory, by the same rules as rows that SQL finds. */
const matching =
  <Row extends { id: number; name: string }>(searched: Searched<Row>) =>
  (rows: readonly Row[], sent: Record<string, unknown>, zone: Zone): Promise<Row[]> => {
    // Clients also send a page; it is ignored, since the answer is small.
    const { page: _, ...condition } = sent
    const fields = fieldsOf(searched, rows)
    const parsed = parseCondition(condition, { fields, zone, text: 'whole' })
    const view = (row: Row) => {
      const record = searched.show(row, { language: 'en', zone })
      const value = (field: string) => (searched.fields[field] === 'instant' ? inColumn(row, field) : record[field])
      return { builtIn: row.id, value }
    }
    return sift(rows, { condition: parsed, fields, view })
  }

function fieldsOf<Row extends { id: number; name: string }>(searched: Searched<Row>, rows: readonly Row[]): Fields {
  const alsoCalled = rows.flatMap((row) => {
    const words = searched.words(row)
    return words?.en === row.name ? [{ builtIn: row.id, name: words['zh-cn'] }] : []
  })
  return new Map(
    Object.entries(searched.fields).map(([name, type]) => [
      name,
      { type, at: { column: name }, ...(name === searched.name && { alsoCalled }) },
    ]),
  )
}

export const matchClassifications = matching(searchedClassifications)
export const matchObjects = matching(searchedObjects)
export const matchAttributes = matching(searchedAttributes)

/** A record of the model as it is shown, for conditions on the fields that it is shown with. */
export type MatchedRecord = Readonly<Record<string, unknown>>

/** Records that the program makes or that are few, matched by the same rules as rows that SQL finds. */
export function matchRecords<Each extends MatchedRecord>(
  records: readonly Each[],
  types: Readonly<Record<string, FieldType>>,
  sent: Readonly<Record<string, unknown>>,
  zone: Zone,
): Promise<Each[]> {
  const fields: Fields = new Map(Object.entries(types).map(([name, type]) => [name, { type, at: { column: name } }]))
  const condition = parseCondition(sent, { fields, zone, text: 'whole' })
  return sift(records, { condition, fields, view: (record) => ({ builtIn: 0, value: (field) => record[field] }) })
}
