// Values that commonly break programs: texts, numbers, shapes.
import fc from 'fast-check'

declare global {
  interface JSON {
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

const texts = [
  ...[
    '',
    ' ',
    '\t',
    'a\0b',
    '\ud800',
    'a\udfff',
    '\u202eabc',
    '\u200d',
    '\ufeffx',
    '\ufffd',
    '\uffff',
    '😀',
    '\u{10ffff}',
  ],
  ...['é', 'e\u0301', 'İ', '空闲机池', '١٢', '１２', 'null', 'undefined', 'NaN', 'Infinity', 'true', '[object Object]'],
  ...["' OR 1=1 --", '"; DROP TABLE node; --', '%', '_', '\\', '`', '$', '{}', '[]', '#{7*7}', '{{7*7}}', '<script>'],
  ...[
    '../../etc/passwd',
    '/',
    '//',
    '.',
    '..',
    '?',
    '#',
    '&a=b',
    ';',
    ',',
    ',,,',
    ' a , a ',
    'a,b,a',
    '-',
    '-x',
    '--x,x',
  ],
  ...['0', '-0', '-1', '+1', '01', '1.0', '1e1', '1e999', '0x10', '9007199254740993', '9223372036854775808', '1,2,3'],
  ...['2026-13-45', '0000-00-00', '9999-12-31 23:59:59', '2026-01-31T08:00:00+99:00', '-271821-04-20', '+275760-09-13'],
  ...['10.0.0.256', '::', '::ffff:10.0.0.1', 'fe80::1%eth0', '10.0.0.1,10.0.0.1', '010.0.0.1', '0x7f.1', '10.0.0.1/8'],
  ...['http://', 'http://[::1', 'http://a b/', 'file:///etc/passwd', 'javascript:1', 'http://169.254.169.254/', '//x'],
  ...[
    '(',
    '[',
    '*',
    '(?<=a)b',
    '(a+)+$',
    '\\1',
    'a{1001}',
    '(?i)x',
    '((a{100}){100}){100}',
    '\\p{Han}',
    '(?P<n>x)',
    '[[:x:]]',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '$where',
    '$eq',
    '$or',
    'a.b',
    'child.child',
    'customquery:',
  ],
  ...['x'.repeat(129), '池'.repeat(100), 'x'.repeat(257), '😀'.repeat(600), 'x'.repeat(70_000), ','.repeat(5_000)],
]
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
)

const wholes = [
  0,
  -0,
  1,
  2,
  -1,
  200,
  201,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
]
const fractions = [0.5, -0.1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308]
/** Numbers that JavaScript cannot represent as written. */
const written = ['1e999', '-1e999', '123456789012345678901234567890', '0.1e-999', '1E+2', '-0.0'].map((number) =>
  JSON.rawJSON(number),
)
export const number = fc.constantFrom<unknown>(...wholes, ...fractions, ...written)

const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)
const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index]))
/** As created by a parser: an own property of that name. */
const polluted = [
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"toString":1,"valueOf":null,"length":-1}',
].map((json) => JSON.parse(json))
const shapes = [[], {}, [[]], [null], { '': 0 }, nested(60), nested(70), wide, ...polluted, Array(201).fill(1)]
const large = [Array.from({ length: 10_001 }, (_, index) => index), Array(5_001).fill('x')]

/** Any JSON value. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 4, arbitrary: number },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...shapes) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(...large) },
)

const operator = fc.constantFrom(
  '$eq',
  '$ne',
  '$neq',
  '$in',
  '$nin',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$regex',
  '$exists',
  '$x',
)
const operand = fc.oneof(anything, fc.array(fc.oneof(text, number), { maxLength: 4 }))

/** A filter over these fields, or over unknown ones. */
export function condition(field: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const filter = fc.oneof(operand, fc.dictionary(operator, operand, { maxKeys: 3 }))
  const filters = fc.dictionary(fc.oneof({ weight: 4, arbitrary: field }, text), filter, { maxKeys: 3 })
  const joined = fc
    .tuple(fc.constantFrom('$or', '$and'), fc.array(filters, { maxLength: 3 }), filters)
    .map(([word, list, beside]) => ({ ...beside, [word]: list }))
  return fc.oneof({ weight: 3, arbitrary: filters }, joined)
}

/** The definition of a saved query. */
export function info(field: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const kind = fc.constantFrom('biz', 'set', 'module', 'host', 'object', 'nosuch')
  const filter = fc.record({ field: fc.oneof(field, text), operator, value: operand })
  const part = fc.record(
    {
      bk_obj_id: fc.oneof(kind, anything),
      fields: fc.array(fc.oneof(field, text), { maxLength: 3 }),
      condition: fc.array(filter, { maxLength: 3 }),
    },
    { requiredKeys: ['bk_obj_id'] },
  )
  return fc.record({ condition: fc.oneof({ weight: 6, arbitrary: fc.array(part, { maxLength: 4 }) }, anything) })
}
