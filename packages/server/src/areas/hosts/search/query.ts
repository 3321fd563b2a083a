// A host query: filters on hosts and on the objects that contain them, one entry per kind of object.

import { mostFields, problem, rule } from '@mainline/contract'
import { first } from '../../../common/present.ts'
import type { Zone } from '../../../common/time.ts'
import type { Condition, Fields } from '../../../condition/condition.ts'
import { type Filter, mostFilters, parseFilters } from '../../../condition/parse.ts'
import { isLevel, type Model, type ObjectModel, objectOf } from '../../model/index.ts'
import { fieldsOf } from '../../topology/index.ts'
import { addressFields, spelled } from '../address.ts'
import { hostFields } from '../fields.ts'

/** `object` means the user-defined levels of the main line. */
export const kinds = ['biz', 'set', 'module', 'host', 'object', 'plat'] as const
export type Kind = (typeof kinds)[number]
type Plain = Exclude<Kind, 'object'>

export interface KindEntry {
  readonly bk_obj_id: string
  readonly fields?: readonly string[]
  readonly condition?: readonly { field: string; operator: string; value?: unknown }[] | null
}

export interface HostQuery {
  readonly conditions: Readonly<Record<Plain, Condition>>
  /** The instances of levels that hosts must be below, by level; undefined if not restricted. */
  readonly levels: ReadonlyMap<string, Condition> | undefined
  /** The named kinds, each with the fields to show; an empty list shows all. */
  readonly fields: ReadonlyMap<Kind, readonly string[]>
}

export interface Reading {
  readonly model: Model
  readonly zone: Zone
  /** The JSON path of the entries, for error messages. */
  readonly path: string
  /** Kinds that may be named in this request. */
  readonly kinds: readonly Kind[]
  /** Whether an unknown field to show is refused; otherwise it is ignored. */
  readonly strict: boolean
}

/** A filter and its JSON path. */
interface Placed extends Filter {
  readonly path: string
}

export function readHostQuery(entries: readonly KindEntry[], reading: Reading): HostQuery {
  const filters: Record<Kind, Placed[]> = { biz: [], set: [], module: [], host: [], object: [], plat: [] }
  const fields = new Map<Kind, readonly string[]>()
  const count = entries.reduce((sum, { condition }) => sum + (condition?.length ?? 0), 0)
  // Entries without filters count, too: a list may contain thousands.
  if (Math.max(count, entries.length) > mostFilters) {
    throw problem('tooMany', { what: reading.path, limit: mostFilters })
  }
  for (const [index, entry] of entries.entries()) {
    const path = `${reading.path}[${index}]`
    const kind = reading.kinds.find((each) => each === entry.bk_obj_id)
    if (!kind) {
      throw problem('unknown', {
        field: `${path}.bk_obj_id`,
        rule: rule('noneOf', { value: String(entry.bk_obj_id).slice(0, 100), values: reading.kinds.join(', ') }),
      })
    }
    const placed = filtersOf(entry, path)
    if (kind === 'object' && placed.length === 0) throw problem('filterMissing')
    filters[kind].push(...placed)
    if (reading.strict) refuseUnknownFields(kind, entry, path, reading.model)
    const shown = joined(fields.get(kind), entry.fields ?? [])
    // Each of them is looked up for every row of a page.
    if (shown.length > mostFields) throw problem('tooMany', { what: `${path}.fields`, limit: mostFields })
    fields.set(kind, shown)
  }
  const all = (kind: Plain): Condition => {
    return { all: readAll(filters[kind], first(fieldsOfKind(kind, reading.model)), reading) }
  }
  const conditions = { biz: all('biz'), set: all('set'), module: all('module'), host: all('host'), plat: all('plat') }
  return { conditions, levels: filters.object.length > 0 ? readLevels(filters.object, reading) : undefined, fields }
}

/** All filters of one kind, in any number of entries: the limit applies to their sum. */
const readAll = (filters: readonly Placed[], fields: Fields, { zone }: Reading): Condition[] =>
  parseFilters(filters, { fields, zone, text: 'whole' }, (index) => filters[index]?.path ?? '')

/** All fields of a kind; for `object`, those of any level. */
function fieldsOfKind(kind: Kind, model: Model): Fields[] {
  if (kind === 'object') return levelsOf(model).map(fieldsOf)
  const object = objectOf(model, kind)
  return [kind === 'host' ? hostFields(object) : fieldsOf(object)]
}

const levelsOf = (model: Model): ObjectModel[] => [...model.objects.values()].filter(isLevel)

function refuseUnknownFields(kind: Kind, { fields = [] }: KindEntry, path: string, model: Model): void {
  const known = fieldsOfKind(kind, model)
  for (const [index, name] of fields.entries()) {
    if (known.some((each) => each.has(name)) || (kind === 'object' && isCommon(name))) continue
    const why = rule('attribute', { object: kind })
    throw problem('unknown', {
      field: `${path}.fields[${index}]`,
      rule: rule('listed', { value: name.slice(0, 100), why }),
    })
  }
}

const filtersOf = ({ bk_obj_id: kind, condition }: KindEntry, path: string): Placed[] =>
  (condition ?? []).map(({ field, operator, value }, index) => {
    const isAddress = kind === 'host' && addressFields.includes(field) && operator !== '$regex'
    return { field, operator, value: isAddress ? spelled(field, value) : value, path: `${path}.condition[${index}]` }
  })

/** Attributes that every level has, valid even while there is no level. */
const isCommon = (name: string) => name === 'bk_inst_id' || name === 'bk_inst_name'

/** "Hosts below these instances": a filter applies to the levels that have all attributes it names, and says nothing about others. */
function readLevels(filters: readonly Placed[], reading: Reading): Map<string, Condition> {
  const levels = levelsOf(reading.model)
  for (const { field, path } of filters) {
    if (isCommon(field) || levels.some((level) => fieldsOf(level).has(field))) continue
    const why = rule('attribute', { object: 'object' })
    throw problem('unknown', { field: `${path}.field`, rule: rule('listed', { value: field.slice(0, 100), why }) })
  }
  const able = levels.filter((level) => filters.every(({ field }) => fieldsOf(level).has(field)))
  return new Map(able.map((level) => [level.id, { all: readAll(filters, fieldsOf(level), reading) }]))
}

function joined(one: readonly string[] | undefined, other: readonly string[]): readonly string[] {
  if (!one) return [...new Set(other)]
  return one.length === 0 || other.length === 0 ? [] : [...new Set([...one, ...other])]
}
