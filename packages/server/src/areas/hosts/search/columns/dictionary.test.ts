import fc from 'fast-check'
import { expect, it } from 'vitest'
import { literally } from '../../../../condition/literal.ts'
import { text } from '../../../../testing/random/arbitraries.ts'
import { Dictionary, type Value } from './dictionary.ts'

/** So many that their texts take several blocks. */
const filling = fc
  .tuple(fc.integer({ min: 0, max: 5_000 }), text)
  .map(([count, end]) => Array.from({ length: count }, (_, index) => `host-${index}.${end}`))
const value = fc.oneof<fc.Arbitrary<Value>[]>(
  ...[text, fc.integer({ min: -20, max: 2_000 }), fc.double({ noNaN: true, noDefaultInfinity: true })],
  ...[fc.boolean(), fc.constant(null), fc.constantFrom('true', 'null', '1', '10', 'x'.repeat(40_000))],
)
const values = fc
  .tuple(fc.array(value, { maxLength: 40 }), filling, fc.array(value, { maxLength: 40 }))
  .map((parts) => parts.flat())
const part = fc.oneof(text, fc.constantFrom('host', '1', '0.', '-49', 'x', 'e')).filter((each) => each !== '')

it('has one code for each distinct value, and returns the value', () => {
  fc.assert(
    fc.property(values, (added) => {
      const dictionary = new Dictionary()
      const distinct = [...new Set(added)]
      const codes = new Map(added.map((each) => [each, dictionary.codeOf(each)]))
      expect([...codes.values()].sort((a, b) => a - b)).toEqual(distinct.map((_, index) => index + 1))
      expect([...codes.values()].map((code) => dictionary.valueOf(code))).toEqual([...codes.keys()])
      expect([...codes.keys()].map((each) => dictionary.find(each))).toEqual([...codes.values()])
      expect([dictionary.size, dictionary.find('not there')]).toEqual([distinct.length, 0])
    }),
    { numRuns: 30 },
  )
})

it('tests values alike one by one, by a search of many texts, and by their codes', async () => {
  await fc.assert(
    fc.asyncProperty(values, part, fc.array(text), fc.boolean(), async (added, wanted, names, ofNone) => {
      const dictionary = new Dictionary()
      for (const each of added) dictionary.codeOf(each)
      const codes = Array.from({ length: dictionary.size }, (_, index) => index + 1)
      /** As attributes of texts do: whatever is no text counts as the empty one, or as none. */
      const asText = (each: Value) => (typeof each === 'string' ? each : ofNone ? 'none' : '')
      const contains = (each: Value) => asText(each).includes(wanted)
      const isNamed = (each: Value) => names.includes(asText(each))
      const expected = (passes: (each: Value) => boolean) => codes.filter((code) => passes(dictionary.valueOf(code)))
      const passed = async (...[test]: Parameters<Dictionary['passing']>) => {
        const found = await dictionary.passing(test)
        return codes.filter((code) => found[code] === 1)
      }
      const containing = new RegExp(literally(wanted), 'g')
      expect(await passed({ passes: contains })).toEqual(expected(contains))
      expect(await passed({ passes: contains, containing })).toEqual(expected(contains))
      expect(await passed({ passes: isNamed, equal: names })).toEqual(expected(isNamed))
    }),
    { numRuns: 30 },
  )
})
