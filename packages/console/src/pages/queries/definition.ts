import type { Operator } from '@mainline/contract'
import type { Attribute } from '../../forms/attributes.ts'
import { conditionsOf, type Filter, fromAddress, isComplete, type Kind, kinds } from '../../forms/filters.ts'

/** A column of the result: an attribute of one of the objects. */
export interface Column {
  readonly object: Kind
  readonly field: string
}

/** A query as the page has it; `info` is how it is stored. */
export interface Definition {
  readonly filters: readonly Filter[]
  readonly columns: readonly Column[]
}

export const beginning: Definition = {
  filters: [{ object: 'module', field: 'bk_module_name', operator: '$eq', value: '' }],
  columns: [
    { object: 'host', field: 'bk_host_innerip' },
    { object: 'host', field: 'bk_host_name' },
    { object: 'set', field: 'bk_set_name' },
    { object: 'module', field: 'bk_module_name' },
  ],
}

const ids: Record<Kind, string> = {
  biz: 'bk_biz_id',
  set: 'bk_set_id',
  module: 'bk_module_id',
  host: 'bk_host_id',
  object: 'bk_inst_id',
}

export interface Info {
  readonly condition: readonly {
    bk_obj_id: string
    fields: string[]
    condition: { field: string; operator: string; value: unknown }[]
  }[]
}

/** As it is saved. No fields would mean all of them, so that an object that is only asked about gives its id. */
export function infoOf({ filters, columns }: Definition, attributes: (object: Kind) => readonly Attribute[]): Info {
  const conditions = conditionsOf(filters, attributes)
  // In the order of the columns, so that they come back as they were.
  const used = [...new Set([...columns.map((each) => each.object), ...kinds])].filter(
    (kind) => columns.some((each) => each.object === kind) || conditions.some((each) => each.bk_obj_id === kind),
  )
  return {
    condition: used.map((kind) => {
      const fields = columns.filter((each) => each.object === kind).map((each) => each.field)
      return {
        bk_obj_id: kind,
        fields: fields.length > 0 || kind === 'object' ? fields : [ids[kind]],
        condition: conditions.find((each) => each.bk_obj_id === kind)?.condition ?? [],
      }
    }),
  }
}

/** Reads a stored query, whoever wrote it. `whole` is false when it holds something this page has no place for. */
export function readInfo(text: string): Definition & { whole: boolean } {
  const { condition = [], ...others } = parse(text)
  const filters: Filter[] = []
  const columns: Column[] = []
  let whole = Object.keys(others).length === 0
  for (const entry of condition) {
    const object = entry.bk_obj_id as Kind
    if (!kinds.includes(object)) {
      whole = false
      continue
    }
    for (const { field, operator, value } of entry.condition ?? []) {
      filters.push({ object, field, operator: operator as Operator, value: textOf(value) })
    }
    for (const field of entry.fields ?? []) if (field !== ids[object]) columns.push({ object, field })
  }
  // Stored in the order of the columns; to be read from the top of the tree down.
  filters.sort((one, other) => kinds.indexOf(one.object) - kinds.indexOf(other.object))
  return { filters, columns, whole }
}

function parse(text: string): Partial<Info> {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value ?? ''))

/** Whether two definitions would be saved alike. */
export const isSame = (one: Definition, other: Definition): boolean =>
  JSON.stringify([one.filters.filter(isComplete), one.columns]) ===
  JSON.stringify([other.filters.filter(isComplete), other.columns])

/** What has been typed and not saved, as it stands in the address. */
export interface Draft extends Definition {
  readonly name: string
}

export const toAddress = ({ name, filters, columns }: Draft): string => JSON.stringify({ name, filters, columns })

/** Null when the address holds no draft; what is not understood in it is left out. */
export function draftIn(text: string | undefined): Draft | null {
  const { name, filters, columns } = (text ? parse(text) : {}) as Partial<Record<keyof Draft, unknown>>
  if (!Array.isArray(filters) || !Array.isArray(columns)) return null
  return {
    name: typeof name === 'string' ? name : '',
    filters: fromAddress(JSON.stringify(filters)),
    columns: columns.filter(isColumn),
  }
}

const isColumn = (value: unknown): value is Column => {
  const { object, field } = (value ?? {}) as Partial<Record<keyof Column, unknown>>
  return kinds.includes(object as Kind) && typeof field === 'string'
}
