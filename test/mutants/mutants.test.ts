import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { mutants } from './mutants.ts'

it.each(mutants)('can still be planted: $name', ({ file, edits, tests }) => {
  const text = readFileSync(file, 'utf8')
  for (const [original] of edits) expect(text.split(original), original).toHaveLength(2)
  for (const test of tests) expect(existsSync(test), test).toBe(true)
})
