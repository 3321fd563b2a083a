import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readPath, readPaths, writePath } from './paths.ts'

const name = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom('#1', ' ', '  ', ' a', 'a  ', '\ta\n', '\\', '\\ ', 'a/b|c', '/', '|', '中文\u3000'),
)

it('a path survives a round trip with any names, and so do several', () => {
  const path = fc.array(name, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(path, { minLength: 1, maxLength: 3 }), (paths) => {
      expect(readPaths(paths.map(writePath).join('|'))).toEqual(paths)
      for (const each of paths) {
        expect(readPath(writePath(each))).toEqual(each)
        expect(writePath(each)).not.toMatch(/^[#\s]/)
      }
    }),
  )
})

it('ignores blanks around names', () => {
  expect(readPaths(' Europe / Paris | Asia\t')).toEqual([['Europe', 'Paris'], ['Asia']])
  expect(readPath('Europe//')).toEqual(['Europe', '', ''])
  expect(readPath('a\\')).toEqual(['a\\'])
})
