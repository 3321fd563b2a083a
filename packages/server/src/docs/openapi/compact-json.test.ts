import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compactJson } from './compact-json.ts'

const canonical = (text: string) => JSON.stringify(JSON.parse(text))

it('is equivalent to JSON.stringify for any value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonical(compactJson(value))).toBe(canonical(JSON.stringify(value)))
    }),
  )
})

it('omits undefined members, like JSON', () => {
  expect(compactJson({ a: 1, b: undefined })).toBe('{ "a": 1 }')
})

it('puts each member of a long value on its own line', () => {
  const long = 'x'.repeat(100)
  expect(compactJson({ a: long, b: { c: [long] } }).split('\n')).toEqual([
    '{',
    `  "a": "${long}",`,
    `  "b": { "c": ["${long}"] }`,
    '}',
  ])
})
