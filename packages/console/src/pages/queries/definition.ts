import type { Attribute } from '../../forms/attributes.ts'
import {
  conditionsOf,
  type Filter,
  filterFrom,
  fromAddress,
  isComplete,
  type Kind,
  kinds,
} from '../../forms/filters.ts'

/** In the place of an attribute: all of them, also those that come to be. */
export const everything = '*'

/** A column of the result: an attribute of one of the objects, or all of its attributes. */
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

export const ids: Record<Kind, string> = {
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

/** As it is saved. No fields mean all of them, so that an object that is only asked about gives its id. */
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
        fields: fields.includes(everything) ? [] : fields.length > 0 || kind === 'object' ? fields : [ids[kind]],
        condition: conditions.find((each) => each.bk_obj_id === kind)?.condition ?? [],
      }
    }),
  }
}

/** Reads a stored query, whoever wrote it. What is saved beside the conditions, such as an order, is kept as it is. */
export function readInfo(text: string): Definition & { beside: object } {
  const { condition, ...beside } = parse(text)
  const filters: Filter[] = []
  const columns: Column[] = []
  for (const [object, { fields, conditions }] of byKind(condition ?? [])) {
    if (!kinds.includes(object)) continue
    filters.push(...conditions.map(({ field, operator, value }) => filterFrom(object, field, operator, value)))
    columns.push(...columnsIn(object, fields, conditions.length > 0))
  }
  // Stored in the order of the columns; to be read from the top of the tree down.
  filters.sort((one, other) => kinds.indexOf(one.object) - kinds.indexOf(other.object))
  return { filters, columns, beside }
}

function columnsIn(object: Kind, fields: readonly string[] | 'all', isAsked: boolean): Column[] {
  if (fields === 'all') return object === 'object' ? [] : [{ object, field: everything }]
  const onlyAsked = isAsked && fields.length === 1 && fields[0] === ids[object]
  return onlyAsked ? [] : fields.map((field) => ({ object, field }))
}

interface OfKind {
  fields: readonly string[] | 'all'
  conditions: { field: string; operator: string; value: unknown }[]
}

/** What a stored query says of each object: entries of one object are one. */
function byKind(entries: Info['condition']): Map<Kind, OfKind> {
  const found = new Map<Kind, OfKind>()
  for (const { bk_obj_id: object, fields, condition } of entries) {
    const known = found.get(object as Kind)
    const shown = fields?.length > 0 && known?.fields !== 'all' ? [...(known?.fields ?? []), ...fields] : 'all'
    found.set(object as Kind, {
      fields: shown === 'all' ? shown : [...new Set(shown)],
      conditions: [...(known?.conditions ?? []), ...(condition ?? [])],
    })
  }
  return found
}

/** Whether a stored query would be saved from here with what it means, or this page has no place for some of it. */
export function isWhole(text: string, attributes: (object: Kind) => readonly Attribute[]): boolean {
  const { condition = [] } = parse(text)
  return meaningOf(condition) === meaningOf(infoOf(readInfo(text), attributes).condition)
}

/** The same text for the same question: an id is always shown, and values are compared as the attribute's type says. */
function meaningOf(entries: Info['condition']): string {
  const said = [...byKind(entries)].map(([kind, { fields, conditions }]) => [
    kind,
    fields === 'all' || kind === 'object' ? 'all' : [...new Set([...fields, ids[kind]])].toSorted(),
    conditions
      .map(({ field, operator, value }) =>
        JSON.stringify([field, operator.replace('$neq', '$ne'), plainly(operator, value)]),
      )
      .toSorted(),
  ])
  return JSON.stringify(said.toSorted())
}

/** `$in` also takes one value, or a text that lists some. */
function plainly(operator: string, value: unknown): unknown {
  const plain = (one: unknown) => (typeof one === 'object' ? one : String(one))
  if (operator !== '$in' && operator !== '$nin') return plain(value)
  if (typeof value === 'string')
    return value
      .split(',')
      .map((each) => each.trim())
      .toSorted()
  return (Array.isArray(value) ? value : [value]).map(plain).toSorted()
}

/** As it is stored. */
export function parse(text: string): Partial<Info> {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

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
