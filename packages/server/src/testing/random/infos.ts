// Generated queries of the property test.
import fc from 'fast-check'
import { type Compared, day, type Estate, filterable, number, time, user, word } from './estates.ts'

export interface Filter {
  field: string
  operator: string
  value: unknown
}
export interface Entry {
  bk_obj_id: string
  fields: string[]
  condition: Filter[]
}
export interface Info {
  condition: Entry[]
  page: { sort: string }
}

const operands: Record<Compared, fc.Arbitrary<unknown>> = {
  text: fc.oneof(word, fc.constantFrom('2', 'idle pool', '空闲机', 'x', ''), fc.nat(3)),
  word: fc.oneof(fc.constantFrom('1', '2', 'x', 'y', 'UTC', 'Asia/Shanghai', ''), fc.nat(3)),
  day,
  time,
  list: fc.oneof(user, fc.constantFrom('', ' amy ', 'amy,bob')),
  number: fc.oneof(number, number.map(String), fc.constantFrom(0.5, '0.1', 1e15)),
  flag: fc.constantFrom(true, false, 'true', 'false'),
}
const pattern = fc.constantFrom('^a', 'b$', '', '^$', '[é池]', '^.$', '2026', 'a|m')

/** A filter on any field of the kind; ids are existing or nearby ones. */
function filterOn(kind: keyof typeof filterable, ids: fc.Arbitrary<number>): fc.Arbitrary<Filter> {
  return fc.constantFrom(...Object.entries(filterable[kind])).chain(([field, how]) => {
    const isId = field.endsWith('_id')
    const isWhole = isId || ['bk_mem', 'amount', 'bk_capacity', 'default', 'weight', 'grade'].includes(field)
    const one = isId ? ids : isWhole ? fc.oneof(number, number.map(String)) : operands[how]
    const orNull = fc.oneof({ weight: 9, arbitrary: one }, { weight: 1, arbitrary: fc.constant(null) })
    const of = (operators: string[], value: fc.Arbitrary<unknown>) =>
      fc.record({ field: fc.constant(field), operator: fc.constantFrom(...operators), value })
    const commas = fc.array(one, { minLength: 1, maxLength: 3 }).map((list) => list.join(','))
    return fc.oneof(
      of(['$eq', '$ne', '$neq'], orNull),
      of(['$in', '$nin'], fc.oneof(fc.array(orNull, { maxLength: 3 }), ...(isWhole ? [commas] : []))),
      ...(how === 'flag' ? [] : [of(['$gt', '$gte', '$lt', '$lte'], how === 'number' ? one : one.map(String))]),
      ...(how === 'number' || how === 'flag' ? [] : [of(['$regex'], pattern)]),
      of(['$exists'], fc.boolean()),
    )
  })
}

/** Queries over the estate: any kinds, operators and orders. */
export function infos(estate: Estate): fc.Arbitrary<Info> {
  const idsOf = (records: unknown[]) => fc.constantFrom(...new Set([...(records as number[]), 1]))
  const spots = estate.hosts.flatMap((host) => host.spots)
  const ids = {
    biz: idsOf([estate.business.bk_biz_id]),
    set: idsOf(spots.map((spot) => spot.set.bk_set_id)),
    module: idsOf(spots.map((spot) => spot.module.bk_module_id)),
    host: idsOf(estate.hosts.map((host) => host.record.bk_host_id)),
    object: idsOf(spots.flatMap((spot) => Object.values(spot.levels).map((level) => level.bk_inst_id))),
  }
  const entry = (kind: keyof typeof ids) => {
    const filters = kind === 'object' ? (['zone', 'region'] as const) : [kind]
    const fields = kind === 'object' ? [] : Object.keys(filterable[kind])
    return fc.record({
      bk_obj_id: fc.constant(kind),
      fields: fc.subarray(fields, { maxLength: Math.min(4, fields.length) }),
      condition: fc
        .constantFrom(...filters)
        .chain((of) => fc.array(filterOn(of, ids[kind]), { minLength: kind === 'object' ? 1 : 0, maxLength: 2 })),
    })
  }
  const sort = fc.constantFrom(...Object.keys(filterable.host).flatMap((field) => [field, `-${field}`]))
  return fc.record({
    condition: fc.array(
      fc.oneof(
        { weight: 4, arbitrary: entry('host') },
        ...(['set', 'module', 'biz', 'object'] as const).map((kind) => ({
          weight: kind === 'biz' ? 1 : 2,
          arbitrary: entry(kind),
        })),
      ),
      { maxLength: 4 },
    ),
    page: fc.record({
      sort: fc.uniqueArray(sort, { maxLength: 2, selector: (each) => each.replace('-', '') }).map(String),
    }),
  })
}
