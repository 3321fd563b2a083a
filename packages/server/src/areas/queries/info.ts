import { Problem, problem, rule } from '@mainline/contract'
import type { Fields } from '../../platform/condition/condition.ts'
import { type Order, readSort } from '../../platform/condition/sort.ts'
import { jsonFault } from '../../platform/faults-in-text.ts'
import type { Zone } from '../../platform/time.ts'
import { type HostQuery, hostFields, type KindEntry, readHostQuery } from '../hosts/index.ts'
import { type Model, objectOf, plainText } from '../model/index.ts'

const longestInfo = 1_048_576
const kinds = ['biz', 'set', 'module', 'host', 'object'] as const

/** What a query's `info` says, read against the model as it is now. */
export interface Info {
  readonly query: HostQuery
  readonly order: readonly Order[]
}

/** Whatever is wrong with it is named by its path inside the document. */
export function readInfo(text: string, model: Model, zone: Zone): Info {
  const document = parse(plainText('info', text, longestInfo))
  const entries = listAt('condition', document.condition).map((entry, index) => readEntry(entry, `condition[${index}]`))
  const page = document.page === undefined || document.page === null ? {} : objectAt('page', document.page)
  return {
    query: readHostQuery(entries, { model, zone, path: 'condition', kinds, strict: true }),
    order: readOrder(page.sort, hostFields(objectOf(model, 'host'))),
  }
}

/** Consoles send an empty text for "in no order". */
function readOrder(sort: unknown, fields: Fields): Order[] {
  if (isNone(sort) || sort === '') return []
  try {
    return readSort(textAt('page.sort', sort), fields)
  } catch (error) {
    throw error instanceof Problem ? error.at('page.sort') : error
  }
}

function parse(text: string): Record<string, unknown> {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw problem('invalid', { field: 'info', rule: rule('infoText', { why: jsonFault(text, error) }) })
  }
  return objectAt('info', document)
}

function readEntry(entry: unknown, path: string): KindEntry {
  const { bk_obj_id: kind, fields, condition } = objectAt(path, entry)
  return {
    bk_obj_id: textAt(`${path}.bk_obj_id`, kind),
    fields: isNone(fields)
      ? []
      : listAt(`${path}.fields`, fields).map((name, index) => textAt(`${path}.fields[${index}]`, name)),
    condition: isNone(condition)
      ? []
      : listAt(`${path}.condition`, condition).map((filter, index) => {
          const at = `${path}.condition[${index}]`
          const { field, operator, value } = objectAt(at, filter)
          return { field: textAt(`${at}.field`, field), operator: textAt(`${at}.operator`, operator), value }
        }),
  }
}

const isNone = (value: unknown) => value === undefined || value === null

function objectAt(field: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw problem('invalid', { field, rule: rule('object') })
}

function listAt(field: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw isNone(value) ? problem('unassigned', { field }) : problem('invalid', { field, rule: rule('array') })
}

function textAt(field: string, value: unknown): string {
  if (value === undefined || value === null || value === '') throw problem('unassigned', { field })
  if (typeof value !== 'string') throw problem('notString', { field })
  return value
}
