import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, it } from 'vitest'
import { literalOf } from './literal.ts'

const characters = [...'aAkKsSiIxX19 -_.:/|\\$^*+?()[]{}', ...'\u212a\u017fİıßéÉ空闲\u{1f600}\n']
const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 })
const escaped = (plain: string) => plain.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')

it('finds a literal exactly where RE2 finds it', () => {
  let tried = 0
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      fc.array(text),
      (parts, isCaseless, texts) => {
        const source = `${isCaseless ? '(?i)' : ''}${parts.map(escaped).join('|')}`
        const pattern = RE2JS.compile(source)
        const found = literalOf(pattern)
        if (!found) return
        tried++
        for (const each of [...texts, ...parts, ...parts.map((part) => part.toUpperCase())]) {
          expect(found.test(each), `${source} in ${each}`).toBe(pattern.matcher(each).find())
        }
      },
    ),
    { numRuns: 2_000 },
  )
  expect(tried).toBeGreaterThan(200)
})

it.each(['^a', 'a$', 'a.c', 'a+', '(a)', '[ab]', 'a{2}', '(?i)é', '(?s)a', '\\d', '\\Qa.b\\E', '', '(?i)'])(
  'leaves %s to RE2',
  (source) => {
    expect(literalOf(RE2JS.compile(source))).toBeUndefined()
  },
)
