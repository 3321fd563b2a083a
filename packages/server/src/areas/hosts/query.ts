// What is asked of hosts: filters on their own attributes and on what they stand in, one entry per kind of object.

import { problem, rule } from '@mainline/contract'
import type { Condition, Fields } from '../../platform/condition/condition.ts'
import { type Filter, mostFilters, parseFilters } from '../../platform/condition/parse.ts'
import type { Zone } from '../../platform/time.ts'
import { isLevel, type Model, type ObjectModel, objectOf } from '../model/index.ts'
import { fieldsOf } from '../topology/index.ts'
import { addressFields, spelled } from './address.ts'
import { hostFields } from './fields.ts'

/** `object` stands for the levels that users have put on the main line. */
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
  /** Which instances of levels the hosts are under, level by level; undefined when nothing is said of them. */
  readonly levels: ReadonlyMap<string, Condition> | undefined
  /** The kinds that were named, each with the fields to show; none means all. */
  readonly fields: ReadonlyMap<Kind, readonly string[]>
}

export interface Reading {
  readonly model: Model
  readonly zone: Zone
  /** Where the entries stand, for whoever has to mend them. */
  readonly path: string
  /** Which kinds may be named here. */
  readonly kinds: readonly Kind[]
  /** Whether a field to show that the model does not have is refused; otherwise it is left out. */
  readonly strict: boolean
}

/** A filter and where it stands. */
interface Placed extends Filter {
  readonly path: string
}

export function readHostQuery(entries: readonly KindEntry[], reading: Reading): HostQuery {
  const filters: Record<Kind, Placed[]> = { biz: [], set: [], module: [], host: [], object: [], plat: [] }
  const fields = new Map<Kind, readonly string[]>()
  const count = entries.reduce((sum, { condition }) => sum + (condition?.length ?? 0), 0)
  // An entry without filters counts as well: a list may hold thousands.
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
    fields.set(kind, joined(fields.get(kind), entry.fields ?? []))
  }
  const all = (kind: Plain): Condition => {
    const [known] = fieldsOfKind(kind, reading.model) as [Fields]
    return { all: readAll(filters[kind], known, reading) }
  }
  const conditions = { biz: all('biz'), set: all('set'), module: all('module'), host: all('host'), plat: all('plat') }
  return { conditions, levels: filters.object.length > 0 ? readLevels(filters.object, reading) : undefined, fields }
}

/** All filters of a kind at once, in however many entries they stand: what bounds them bounds their sum. */
const readAll = (filters: readonly Placed[], fields: Fields, { zone }: Reading): Condition[] =>
  parseFilters(filters, { fields, zone, text: 'whole' }, (index) => filters[index]?.path ?? '')

/** All fields of a kind; of `object`, those of any level. */
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
    return { field, operator, value: isAddress ? spelled(value) : value, path: `${path}.condition[${index}]` }
  })

/** What every level has, so that it is known also while there is none. */
const isCommon = (name: string) => name === 'bk_inst_id' || name === 'bk_inst_name'

/**
 * "Hosts under these instances": a level counts when it has all the attributes that are named. A filter that only another
 * level could meet says nothing of its instances.
 */
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
  if (!one) return other
  return one.length === 0 || other.length === 0 ? [] : [...new Set([...one, ...other])]
}
