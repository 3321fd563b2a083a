import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { hashInTurns } from './hash-in-turns.ts'

it('is the SHA-256 of the whole body, computed with turns for other requests', async () => {
  const bytes = Buffer.alloc(50_000_001, 'abc')
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const found = await hashInTurns(bytes)
  isDone = true
  expect(found).toBe(hash('sha256', bytes, 'base64'))
  expect(turns).toBeGreaterThan(2)
})
