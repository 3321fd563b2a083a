// Generators of the property tests: stored rows, and requests that match some of them.
import fc from 'fast-check'

/** Characters that break quoting, patterns, escapes and sort orders. */
const characters = [
  ...'aAbZ0 ,\'"`%_\\/$(){}[]?\n\u0001\u007f',
  ...'éßİ空闲池\ud7ff\ue000\ufeff\ufffd\uffff\u{10000}😀\u{10ffff}',
]
const stray = fc.string({ unit: 'binary', maxLength: 6 }).map((each) => each.replaceAll('\0', ''))
const words = [
  '',
  'a',
  'ab',
  'NULL',
  '1',
  '10',
  '9',
  'idle pool',
  '空闲机池',
  "' OR 1=1 --",
  '2026-01-31',
  'true',
  'a,b',
]
export const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...words) },
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(...characters), maxLength: 4 }) },
  { weight: 1, arbitrary: stray },
)

const { MAX_SAFE_INTEGER: most } = Number
const integer = fc.oneof(fc.constantFrom(0, 1, -1, 2, 10, most, -most, most - 1), fc.integer(), fc.maxSafeInteger())
/** Those of 18 and 19 digits are written as integers with a slightly different value. */
export const unwieldy = [
  209268743564867300,
  -267688183759514000,
  2 ** 63,
  1e21,
  5e-324,
  1.7976931348623157e308,
  0.1 + 0.2,
]
export const float = fc.oneof(
  fc.constantFrom(0, 0.1, -1.5, ...unwieldy),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  integer,
)
const day = fc.constantFrom('2026-01-30', '2026-01-31', '2025-12-31')
const localTime = fc.constantFrom('2026-01-31 12:00:00', '2026-01-31 12:00:01', '2026-01-31 04:00:00')
const clock = fc.constantFrom('UTC', 'Asia/Shanghai', 'Europe/Berlin')
const user = fc.constantFrom('amy', 'bob', 'am', 'zoë', '李雷', 'o"neil', "d'arcy", '\\', '%')
const people = fc.uniqueArray(user, { maxLength: 3 }).map((names) => names.join(','))

const second = Date.UTC(2026, 0, 31, 4)
const moment = fc.constantFrom(0, 999, 1000, -1, -1000, 500).map((distance) => second + distance)
const time = fc.constantFrom(
  ...['2026-01-31 12:00:00', '2026-01-31 12:00:00.500', '2026-01-31 11:59:59', '2026-01-31 12:00:01'],
  ...['2026-01-31T04:00:00Z', '2026-01-31T12:00:00.999+08:00', '2026-01-31 04:00:00', '2026-01-30T23:00:01-0500'],
)

/** A value left by an attribute of the same name and another type, or none. */
const leftBehind = fc.oneof(text, integer, float, fc.boolean(), fc.constantFrom(null, [], ['a'], {}, { a: 1 }))
const stored = (value: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 6, arbitrary: value },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: leftBehind },
  )

export interface NewRow {
  name: string
  built_in: number
  creator: string
  create_time: number
  last_time: number
  attributes: Record<string, unknown>
}

const row: fc.Arbitrary<NewRow> = fc.record({
  name: text,
  built_in: fc.constantFrom(0, 0, 0, 1),
  creator: text,
  create_time: moment,
  last_time: moment,
  attributes: fc.record({
    note: stored(text),
    people: stored(people),
    day: stored(fc.oneof({ weight: 3, arbitrary: day }, { weight: 1, arbitrary: fc.constant('') })),
    moment: stored(localTime),
    clock: stored(clock),
    amount: stored(integer),
    ratio: stored(float),
    open: stored(fc.boolean()),
  }),
})
export const rows = fc.array(row, { minLength: 20, maxLength: 40 })

/** Operands as clients send them: also as numeric strings, and null for unset. */
const numeric = (value: fc.Arbitrary<number>) => fc.oneof(value, value.map(String))
const flag = fc.constantFrom(true, false, 'true', 'false')
const textual = fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: fc.nat(10) })

function filters(
  field: string,
  value: fc.Arbitrary<unknown>,
  comparable = true,
): fc.Arbitrary<Record<string, unknown>> {
  const orNull = fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })
  const one = (operator: string, operand: fc.Arbitrary<unknown>) => operand.map((each) => ({ [operator]: each }))
  const list = fc.array(orNull, { maxLength: 4 })
  const operators = [
    ...['$eq', '$ne', '$neq', '$in', '$nin'].map((operator) => one(operator, orNull)),
    ...['$in', '$nin'].map((operator) => one(operator, list)),
    ...(comparable ? ['$gt', '$gte', '$lt', '$lte'].map((operator) => one(operator, value)) : []),
    one('$exists', fc.boolean()),
  ]
  const several = fc.tuple(fc.oneof(...operators), fc.oneof(...operators)).map(([a, b]) => ({ ...a, ...b }))
  return fc.oneof(orNull, fc.oneof(...operators), several).map((test) => ({ [field]: test }))
}

const filter = fc.oneof(
  ...['bk_set_name', 'note', 'creator'].map((field) => filters(field, textual)),
  filters('people', fc.oneof(user, fc.constantFrom('', 'amy,bob', ' amy '))),
  filters('day', day),
  filters('moment', time),
  filters('clock', fc.oneof(clock, fc.constantFrom('', 'Asia'))),
  filters('amount', numeric(integer)),
  filters('ratio', numeric(float)),
  filters('open', flag, false),
  filters('create_time', time),
  filters('default', numeric(fc.integer({ min: -1, max: 2 }))),
)

/** In RE2 syntax; each matches some of the words above. */
const pattern = fc.constantFrom(
  '^a',
  '',
  '^$',
  '^.$',
  '[%_]',
  '池$',
  '空闲',
  '(?i)IDLE',
  '\\\\',
  '^[^a-z]+$',
  '(a|b)+\\d?$',
  '(?i)a|IDLE',
  'idle pool',
)
const matching = fc
  .tuple(fc.constantFrom('bk_set_name', 'note', 'day', 'clock', 'creator'), pattern)
  .map(([field, regex]) => ({ [field]: { $regex: regex } }))

/** Filters side by side, and nested under $or and $and. */
function grouped(leaf: fc.Arbitrary<Record<string, unknown>>) {
  const { condition } = fc.letrec<{ condition: Record<string, unknown> }>((tie) => {
    const list = fc.array(tie('condition'), { minLength: 1, maxLength: 3 })
    const group = fc.oneof(
      list.map(($or) => ({ $or })),
      list.map(($and) => ({ $and })),
      fc.tuple(list, leaf).map(([$or, beside]) => ({ $or, ...beside })),
      fc.tuple(leaf, leaf).map(([a, b]) => ({ ...a, ...b })),
    )
    return { condition: fc.oneof({ maxDepth: 3 }, leaf, group) }
  })
  return fc.record({ input: condition, text: fc.constantFrom('whole' as const, 'part' as const) })
}

export const conditions = grouped(filter)
export const patterns = grouped(fc.oneof(filter, matching))
