// A host query: filters on hosts and on the objects that contain them, one entry per kind of object.

import { mostFields, problem, rule } from '@mainline/contract'
import { first } from '../../../common/present.ts'
import type { Zone } from '../../../common/time.ts'
import type { Condition, Fields } from '../../../condition/condition.ts'
import { type Filter, mostFilters, parseFilters } from '../../../condition/parse.ts'
import type { ObjectAssociation } from '../../associations/index.ts'
import { isLevel, type Model, type ObjectModel, objectOf } from '../../model/index.ts'
import { fieldsOf } from '../../topology/index.ts'
import { addressFields, spelled } from '../address.ts'
import { hostFields } from '../fields.ts'
import type { AssociatedFilter } from './associated.ts'

/** `object` means the user-defined levels of the main line. */
export const kinds = ['biz', 'set', 'module', 'host', 'object', 'plat'] as const
export type Kind = (typeof kinds)[number]
type Plain = Exclude<Kind, 'object'>

export interface KindEntry {
  readonly bk_obj_id: string
  readonly fields?: readonly string[]
  readonly condition?: readonly { field: string; operator: string; value?: unknown }[] | null
  /** For an object that hosts are associated with: only this association. */
  readonly bk_obj_asst_id?: string | undefined
}

export interface HostQuery {
  readonly conditions: Readonly<Record<Plain, Condition>>
  /** The instances of levels that hosts must be below, by level; undefined if not restricted. */
  readonly levels: ReadonlyMap<string, Condition> | undefined
  readonly associated: readonly AssociatedFilter[]
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
  /** Associations of hosts: instances at their other ends may be named, too. */
  readonly associations?: readonly ObjectAssociation[]
  /** Whether an unknown field to show is refused; otherwise it is ignored. */
  readonly strict: boolean
}

/** A filter and its JSON path. */
interface Placed extends Filter {
  readonly path: string
}

export function readHostQuery(entries: readonly KindEntry[], reading: Reading): HostQuery {
  const filters: Record<Kind, Placed[]> = { biz: [], set: [], module: [], host: [], object: [], plat: [] }
  const others: AssociatedEntry[] = []
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
      others.push({ ...entry, path, associations: associationsIn(entry, path, reading) })
      continue
    }
    const placed = filtersOf(entry, path)
    if (kind === 'object' && placed.length === 0) throw problem('filterMissing')
    filters[kind].push(...placed)
    if (reading.strict) {
      const known = fieldsOfKind(kind, reading.model)
      const isKnown = (name: string) => known.some((each) => each.has(name)) || (kind === 'object' && isCommon(name))
      refuseUnknownFields(entry, path, isKnown)
    }
    const shown = joined(fields.get(kind), entry.fields ?? [])
    // Each of them is looked up for every row of a page.
    if (shown.length > mostFields) throw problem('tooMany', { what: `${path}.fields`, limit: mostFields })
    fields.set(kind, shown)
  }
  const all = (kind: Plain): Condition => {
    return { all: readAll(filters[kind], first(fieldsOfKind(kind, reading.model)), reading) }
  }
  const conditions = { biz: all('biz'), set: all('set'), module: all('module'), host: all('host'), plat: all('plat') }
  return {
    conditions,
    levels: filters.object.length > 0 ? readLevels(filters.object, reading) : undefined,
    associated: readAssociated(others, reading),
    fields,
  }
}

/** An entry of an object that is no kind of its own, with the associations that it names. */
interface AssociatedEntry extends KindEntry {
  readonly path: string
  readonly associations: readonly ObjectAssociation[]
}

const otherEnd = ({ source_object, target_object }: ObjectAssociation): string =>
  source_object === 'host' ? target_object : source_object

function associationsIn(
  { bk_obj_id: object, bk_obj_asst_id: named }: KindEntry,
  path: string,
  { kinds, associations = [] }: Reading,
): readonly ObjectAssociation[] {
  const offered = associations.filter((each) => !kinds.some((kind) => kind === otherEnd(each)))
  const found = offered.filter((each) => otherEnd(each) === object)
  const refuse = (field: string, value: string, values: readonly string[]) =>
    problem('unknown', {
      field: `${path}.${field}`,
      rule: rule('noneOf', { value: value.slice(0, 100), values: [...new Set(values)].slice(0, 30).join(', ') }),
    })
  if (found.length === 0) throw refuse('bk_obj_id', object, [...kinds, ...offered.map(otherEnd)])
  if (named === undefined) return found
  const chosen = found.filter(({ association_id }) => association_id === named)
  if (chosen.length > 0) return chosen
  throw refuse(
    'bk_obj_asst_id',
    named,
    found.map(({ association_id }) => association_id),
  )
}

/** Associated objects of one search: each costs a search of its own. */
const mostAssociatedObjects = 10

/** All filters on one object, through the same associations, are about the same instance. */
function readAssociated(entries: readonly AssociatedEntry[], reading: Reading): AssociatedFilter[] {
  const groups = Map.groupBy(entries, (entry) => JSON.stringify([entry.bk_obj_id, entry.bk_obj_asst_id]))
  if (groups.size > mostAssociatedObjects) {
    throw problem('tooMany', { what: rule('otherObjects'), limit: mostAssociatedObjects })
  }
  return [...groups.values()].flatMap((group) => {
    const { bk_obj_id: object, associations } = first(group)
    const fields = fieldsOf(objectOf(reading.model, object))
    if (reading.strict) for (const entry of group) refuseUnknownFields(entry, entry.path, (name) => fields.has(name))
    const filters = group.flatMap((entry) => filtersOf(entry, entry.path))
    return filters.length === 0 ? [] : [{ object, associations, condition: { all: readAll(filters, fields, reading) } }]
  })
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

function refuseUnknownFields(entry: KindEntry, path: string, isKnown: (name: string) => boolean): void {
  for (const [index, name] of (entry.fields ?? []).entries()) {
    if (isKnown(name)) continue
    const why = rule('attribute', { object: entry.bk_obj_id })
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
