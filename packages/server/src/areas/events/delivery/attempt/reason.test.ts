import { expect, it } from 'vitest'
import { readReason, writeReason } from './reason.ts'

it('stores a reason in both languages, whatever its text, and reads those of earlier versions', () => {
  const stored = writeReason(['no\nanswer', '没有\n应答'])
  expect([readReason(stored, 'en'), readReason(stored, 'zh-cn')]).toEqual(['no answer', '没有 应答'])
  expect([readReason('refused', 'en'), readReason('refused', 'zh-cn'), readReason('', 'zh-cn')]).toEqual([
    'refused',
    'refused',
    '',
  ])
})
