import { expect, it } from 'vitest'
import { describeIntact } from './verdict.ts'

const verdict = { segments: 2, records: 1001, unsealed: 0, removed: 0, restores: 0, faults: [] }

it('says what the seals prove, and what they do not cover yet', () => {
  expect(describeIntact(verdict)).toBe('The log is intact: 1001 records in 2 sealed segments.')
  expect(describeIntact({ ...verdict, segments: 1, records: 1, unsealed: 3 })).toBe(
    'The log is intact: 1 record in 1 sealed segment, 3 newer without a gap and not sealed yet.',
  )
  expect(describeIntact({ ...verdict, removed: 5, restores: 1 })).toBe(
    'The log is intact: 1001 records in 2 sealed segments, 5 removed by retention; restored once.',
  )
})

it('does not call a log verified of which nothing is sealed', () => {
  expect(describeIntact({ ...verdict, segments: 0, records: 0, unsealed: 599 })).toBe(
    'The log is intact so far: 599 records without a gap, none sealed yet (a running server seals once a minute).',
  )
})
