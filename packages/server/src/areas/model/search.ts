import type { Words } from '@mainline/contract'
import type { Fields, FieldType } from '../../platform/condition/condition.ts'
import { meets } from '../../platform/condition/evaluate.ts'
import { parseCondition } from '../../platform/condition/parse.ts'
import { sift } from '../../platform/condition/sift.ts'
import type { Zone } from '../../platform/time.ts'
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

/** How records of one kind are filtered: by the fields they are shown with. */
interface Searched<Row> {
  readonly fields: Record<string, FieldType>
  /** The field that holds the name, which built-in rows have in every language. */
  readonly name: string
  readonly words: (row: Row) => Words | undefined
  readonly show: (row: Row, showing: Showing) => Record<string, unknown>
}

const times = { creator: 'text', create_time: 'instant', last_time: 'instant' } as const

const classifications: Searched<ClassificationRow> = {
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

const objects: Searched<ObjectRow> = {
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

const attributes: Searched<AttributeRow> = {
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

/** A model is small: its rows are matched here, by the same rules as rows that SQL finds. */
const matching =
  <Row extends { id: number; name: string }>(searched: Searched<Row>) =>
  (rows: readonly Row[], sent: Record<string, unknown>, zone: Zone): Promise<Row[]> => {
    // Clients also send a page; what there is fits on one.
    const { page: _, ...condition } = sent
    const fields = fieldsOf(searched, rows)
    const parsed = parseCondition(condition, { fields, zone, text: 'whole' })
    return sift(rows, (row) => {
      const record = searched.show(row, { language: 'en', zone })
      const value = (field: string) => (searched.fields[field] === 'instant' ? row[field as keyof Row] : record[field])
      return meets({ builtIn: row.id, value }, parsed, fields)
    })
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

export const matchClassifications = matching(classifications)
export const matchObjects = matching(objects)
export const matchAttributes = matching(attributes)
