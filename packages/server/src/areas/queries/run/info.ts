import { Problem, problem, type Rule, rule } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import type { Fields } from '../../../condition/condition.ts'
import { multilikePattern } from '../../../condition/multilike.ts'
import { mostFilters } from '../../../condition/parse.ts'
import { type Order, readSort } from '../../../condition/sort.ts'
import { parseJsonText } from '../../../http/bodies/body.ts'
import { jsonFault } from '../../../http/bodies/faults-in-text.ts'
import type { SavedQueryDialect } from '../../../http/dialect.ts'
import { isObject } from '../../../http/dialect.ts'
import type { Reader } from '../../../storage/index.ts'
import { associationsOfHosts } from '../../associations/index.ts'
import { type HostQuery, hostFields, type KindEntry, readHostQuery } from '../../hosts/index.ts'
import { type Model, objectOf, plainText } from '../../model/index.ts'
import type { MissingSearchGrant } from '../../privileges/index.ts'

const longestInfo = 1_048_576
/** Enough for several lists of 10,000. */
const maxInfoValues = 50_000
const kinds = ['biz', 'set', 'module', 'host', 'object'] as const

/** A query's `info`, parsed against the current model. */
export interface Info {
  readonly query: HostQuery
  readonly order: readonly Order[]
}

/** The objects whose instances decide, beside businesses, sets, modules, levels and hosts, which hosts a query finds. */
export const objectsBehind = ({ associated }: HostQuery): string[] => [
  ...new Set(associated.map(({ object }) => object)),
]

/** The dialect in which saved queries are written. */
export interface QueryReading extends SavedQueryDialect {
  readonly zone: Zone
}

/** Also judges callers: the result of a query depends on what they may not search otherwise. */
export interface QueryRights extends QueryReading {
  readonly lacks: MissingSearchGrant
}

/** Every error names the path inside the document. The reader is used where associated instances are named. */
export async function readInfo(reader: Reader, text: string, model: Model, reading: QueryReading): Promise<Info> {
  const document = await parse(plainText('info', text, longestInfo))
  const sent = listAt('condition', document.condition)
  if (sent.length > mostFilters) throw problem('tooMany', { what: 'condition', limit: mostFilters })
  const entries = sent.map((entry, index) => readEntry(entry, `condition[${index}]`, reading))
  const isPlain = entries.every(({ bk_obj_id }) => kinds.some((kind) => kind === bk_obj_id))
  const associations = isPlain ? [] : await associationsOfHosts(reader, model.account)
  const page = document.page === undefined || document.page === null ? {} : objectAt('page', document.page)
  return {
    query: readHostQuery(entries, {
      model,
      zone: reading.zone,
      path: 'condition',
      kinds,
      associations,
      strict: !reading.ignoresUnknownFields,
    }),
    order: readOrder(page.sort, hostFields(objectOf(model, 'host'))),
  }
}

/** Clients send an empty text if they want no order. */
function readOrder(sort: unknown, fields: Fields): Order[] {
  if (isNone(sort) || sort === '') return []
  try {
    return readSort(textAt('page.sort', sort), fields)
  } catch (error) {
    throw error instanceof Problem ? error.at('page.sort') : error
  }
}

async function parse(text: string): Promise<Record<string, unknown>> {
  let document: unknown
  try {
    document = await parseJsonText(text, maxInfoValues)
  } catch (error) {
    throw infoFault(text, error)
  }
  return objectAt('info', document)
}

function infoFault(text: string, error: unknown): unknown {
  if (error instanceof Problem && error.kind === 'tooLarge') {
    return problem('tooMany', { what: rule('infoValues'), limit: maxInfoValues })
  }
  const why: Rule = error instanceof Problem ? [error.text('en'), error.text('zh-cn')] : jsonFault(text, error)
  return problem('invalid', { field: 'info', rule: rule('infoText', { why }) })
}

function readEntry(entry: unknown, path: string, { readsMultilike }: QueryReading): KindEntry {
  const { bk_obj_id: kind, bk_obj_asst_id: association, fields, condition } = objectAt(path, entry)
  return {
    bk_obj_id: textAt(`${path}.bk_obj_id`, kind),
    bk_obj_asst_id: isNone(association) ? undefined : textAt(`${path}.bk_obj_asst_id`, association),
    fields: isNone(fields)
      ? []
      : listAt(`${path}.fields`, fields).map((name, index) => textAt(`${path}.fields[${index}]`, name)),
    condition: isNone(condition)
      ? []
      : listAt(`${path}.condition`, condition).map((sent, index) => {
          const at = `${path}.condition[${index}]`
          const { field, operator, value } = objectAt(at, sent)
          const filter = { field: textAt(`${at}.field`, field), operator: textAt(`${at}.operator`, operator), value }
          if (!readsMultilike || filter.operator !== '$multilike') return filter
          return { ...filter, operator: '$regex', value: multilikePattern(`${at}.value`, value) }
        }),
  }
}

const isNone = (value: unknown) => value === undefined || value === null

function objectAt(field: string, value: unknown): Record<string, unknown> {
  if (isObject(value)) return value
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
