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

/** In place of an attribute: all of them, including future ones. */
export const everything = '*'

/** A column of the result: an attribute of one of the objects, or all of its attributes. */
export interface Column {
  readonly object: Kind
  readonly field: string
}

/** A query as the page shows it; `info` is the stored form. */
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

/** The form to save. An empty list of fields means all, so an object that is only filtered gets its id. */
export function infoOf({ filters, columns }: Definition, attributes: (object: Kind) => readonly Attribute[]): Info {
  const conditions = conditionsOf(filters, attributes)
  // In the order of the columns, which is preserved.
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

/** Parses a stored query of any client. Keys beside the conditions, such as an order, are kept. */
export function readInfo(text: string): Definition & { beside: object } {
  const { condition, ...beside } = parse(text)
  const filters: Filter[] = []
  const columns: Column[] = []
  for (const [object, { fields, conditions }] of byKind(condition ?? [])) {
    if (!kinds.includes(object)) continue
    filters.push(...conditions.map(({ field, operator, value }) => filterFrom(object, field, operator, value)))
    columns.push(...columnsIn(object, fields, conditions.length > 0))
  }
  // Stored in the order of the columns; shown in the order of the tree.
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

/** The entries of a stored query by object; several entries of one object are merged. */
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

/** Whether the page can show all of a stored query without changing its meaning. */
export function isWhole(text: string, attributes: (object: Kind) => readonly Attribute[]): boolean {
  const { condition = [] } = parse(text)
  return meaningOf(condition) === meaningOf(infoOf(readInfo(text), attributes).condition)
}

/** A canonical form for comparison: ids are always included, and values are normalised by type. */
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

/** In stored form. */
export function parse(text: string): Partial<Info> {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

/** Whether two definitions would be saved equally. */
export const isSame = (one: Definition, other: Definition): boolean =>
  JSON.stringify([one.filters.filter(isComplete), one.columns]) ===
  JSON.stringify([other.filters.filter(isComplete), other.columns])

/** The unsaved draft, as it is stored in the URL. */
export interface Draft extends Definition {
  readonly name: string
  /** The revision that the draft is based on. */
  readonly revision?: number | undefined
}

export const toAddress = ({ name, filters, columns, revision }: Draft): string =>
  JSON.stringify({ name, filters, columns, revision })

/** Null if the address has no draft; unknown parts of it are ignored. */
export function draftIn(text: string | undefined): Draft | null {
  const { name, filters, columns, revision } = (text ? parse(text) : {}) as Partial<Record<keyof Draft, unknown>>
  if (!Array.isArray(filters) || !Array.isArray(columns)) return null
  return {
    name: typeof name === 'string' ? name : '',
    filters: fromAddress(JSON.stringify(filters)),
    columns: columns.filter(isColumn),
    ...(typeof revision === 'number' && { revision }),
  }
}

const isColumn = (value: unknown): value is Column => {
  const { object, field } = (value ?? {}) as Partial<Record<keyof Column, unknown>>
  return kinds.includes(object as Kind) && typeof field === 'string'
}
