import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Refusal } from '../../common/refusal.ts'
import { readWhere } from './where.ts'

const brief = (text: string) => readWhere(text).map(({ field, operator, value }) => [field.is, operator.is, value.is])

it.each<[string, unknown[]]>([
  ['bk_os_type=1', [['bk_os_type', '$eq', '1']]],
  ['a != b', [['a', '$ne', 'b']]],
  [
    'a>=1 and b <= 2 AND c>3 and d<4',
    [
      ['a', '$gte', '1'],
      ['b', '$lte', '2'],
      ['c', '$gt', '3'],
      ['d', '$lt', '4'],
    ],
  ],
  ['bk_host_name ~ ^web-(1|2)$', [['bk_host_name', '$regex', '^web-(1|2)$']]],
  [
    "module.bk_module_name in (nginx, 'web server',3)",
    [['module.bk_module_name', '$in', ['nginx', 'web server', '3']]],
  ],
  ['a in(1)', [['a', '$in', ['1']]]],
  [
    "name = 'to be and not' and x=1",
    [
      ['name', '$eq', 'to be and not'],
      ['x', '$eq', '1'],
    ],
  ],
  [`name = "it's"`, [['name', '$eq', "it's"]]],
  ["name=''", [['name', '$eq', '']]],
  [
    'android=1 and index=2',
    [
      ['android', '$eq', '1'],
      ['index', '$eq', '2'],
    ],
  ],
  ['a=x=y', [['a', '$eq', 'x=y']]],
])('reads %s', (text, terms) => {
  expect(brief(text)).toEqual(terms)
})

it.each([
  ['', 'expected a field name here', 0],
  ['   ', 'expected a field name here', 3],
  ['bk_os_type 1', 'expected an operator here: = != > >= < <= ~ in', 11],
  ['bk_os_type', 'expected an operator here', 10],
  ['bk_os_type =', "expected a value here; '' is the empty text", 12],
  ["a = 'open", "the ' here is never closed", 4],
  ['a = web shop', "expected 'and' or the end here; quote values that contain blanks", 8],
  ['a = 1 and', 'expected a field name here', 9],
  ['a in 1', 'expected a list here, such as (1, 2)', 5],
  ['a in (1 2)', "expected ',' or ')' here", 8],
  ['a in ()', 'expected a value here', 6],
  ['a in (1,', 'expected a value here', 8],
])('reports what is wrong in "%s" and where', (text, why, at) => {
  const lines = wrong(text).split('\n')
  expect(lines[0]).toContain(`--where: ${why}`)
  expect(lines[1]).toBe(`  ${text}`)
  expect(lines[2]).toBe(`  ${' '.repeat(at)}^`)
})

it('marks the place below characters that take two columns', () => {
  expect(wrong("name = '空闲机' 池").split('\n')[2]).toBe(`  ${' '.repeat(16)}^`)
})

it('parses or refuses any text, and parses what it has formatted', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      try {
        expect(readWhere(text).length).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal)
        expect((error as Refusal).exitCode).toBe(2)
      }
    }),
  )
  const value = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes("'"))
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
      const text = `a in (${values.map((each) => `'${each}'`).join(', ')}) and b = '${values[0]}'`
      expect(brief(text)).toEqual([
        ['a', '$in', values],
        ['b', '$eq', values[0]],
      ])
    }),
  )
})

function wrong(text: string): string {
  try {
    readWhere(text)
  } catch (error) {
    return (error as Error).message
  }
  return expect.unreachable(`${text} was read`)
}
