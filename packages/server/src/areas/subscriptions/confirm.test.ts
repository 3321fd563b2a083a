import { expect, it } from 'vitest'
import { confirming, readConfirmation } from './confirm.ts'

it.each([
  [undefined, undefined, { mode: 'httpstatus', pattern: '200' }],
  ['', '', { mode: 'httpstatus', pattern: '200' }],
  ['httpstatus', ' 204 ', { mode: 'httpstatus', pattern: '204' }],
  ['httpstatus', 201, { mode: 'httpstatus', pattern: '201' }],
  ['httpstatus', null, { mode: 'httpstatus', pattern: '200' }],
  ['regular', '^ok$', { mode: 'regular', pattern: '^ok$' }],
  ['regular', 7, { mode: 'regular', pattern: '7' }],
])('reads mode %j with pattern %j', (mode, pattern, expected) => {
  expect(readConfirmation(mode, pattern)).toEqual(expected)
})

it.each([
  ['status', '200', 1199006],
  ['httpstatus', '20', 1199006],
  ['httpstatus', '600', 1199006],
  ['httpstatus', 'ok', 1199006],
  ['httpstatus', {}, 1199007],
  ['regular', '', 1199010],
  ['regular', undefined, 1199010],
  ['regular', '(', 1199006],
  ['regular', '(?=ahead)', 1199006],
  ['regular', '(a)\\1', 1199006],
  ['regular', 'x'.repeat(1001), 1199006],
  ['regular', '(a{1000}){1000}', 1199006],
])('refuses mode %j with pattern %j', (mode, pattern, code) => {
  expect(() => readConfirmation(mode, pattern)).toThrow(expect.objectContaining({ code }))
})

it('with httpstatus the status must equal the pattern, whatever the body', () => {
  const isConfirmed = confirming('httpstatus', '204')
  expect(isConfirmed({ status: 204, body: 'no' })).toBe(true)
  expect(isConfirmed({ status: 200, body: '204' })).toBe(false)
})

it('with regular the pattern is searched anywhere in the body, whatever the status', () => {
  const isConfirmed = confirming('regular', '"code":\\s*0\\b')
  expect(isConfirmed({ status: 500, body: '{"code": 0}' })).toBe(true)
  expect(isConfirmed({ status: 200, body: '{"code": 01}' })).toBe(false)
})
