import { expect, it } from 'vitest'
import { readReason, writeReason } from './reason.ts'

it('keeps a reason in both languages, whatever it holds, and knows those of earlier versions', () => {
  const stored = writeReason(['no\nanswer', '没有\n应答'])
  expect([readReason(stored, 'en'), readReason(stored, 'zh-cn')]).toEqual(['no answer', '没有 应答'])
  expect([readReason('refused', 'en'), readReason('refused', 'zh-cn'), readReason('', 'zh-cn')]).toEqual([
    'refused',
    'refused',
    '',
  ])
})
