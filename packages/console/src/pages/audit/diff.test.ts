import { expect, it } from 'vitest'
import { type AuditRecord, differencesOf, subjectOf } from './diff.ts'

const record = (pre: Record<string, unknown> | null, cur: Record<string, unknown> | null): AuditRecord => ({
  bk_biz_id: 2,
  op_type: 2,
  op_desc: 'update set',
  op_target: 'set',
  bk_obj_id: 'set',
  operator: 'amy',
  content: {
    pre_data: pre,
    cur_data: cur,
    header: [
      { bk_property_id: 'bk_set_name', bk_property_name: 'Set name' },
      { bk_property_id: 'bk_capacity', bk_property_name: 'Capacity' },
    ],
  },
  ext_key: '',
  op_time: '',
  inst_id: 7,
  op_reason: '',
  request_id: '',
  txn_id: '',
  undoes: [],
})

it('shows only changed attributes by name, without the time of the change', () => {
  const before = { bk_set_name: 'a', bk_capacity: 5, extra: { x: 1 }, last_time: '1' }
  expect(differencesOf(record(before, { ...before, bk_capacity: null, extra: { x: 2 }, last_time: '2' }))).toEqual([
    { id: 'bk_capacity', name: 'Capacity', before: '5', after: '' },
    { id: 'extra', name: 'extra', before: '{\n  "x": 1\n}', after: '{\n  "x": 2\n}' },
  ])
})

it('shows the values of a created record, and the previous values of a deleted one', () => {
  expect(differencesOf(record(null, { bk_set_name: 'a', bk_capacity: null }))).toEqual([
    { id: 'bk_set_name', name: 'Set name', before: null, after: 'a' },
  ])
  expect(differencesOf(record({ bk_set_name: 'a' }, null))).toEqual([
    { id: 'bk_set_name', name: 'Set name', before: 'a', after: null },
  ])
})

it('names the record by its current or previous name, or by its id', () => {
  expect(subjectOf(record({ bk_set_name: 'old' }, { bk_set_name: 'new' }))).toBe('new')
  expect(subjectOf(record({ bk_set_name: 'old' }, null))).toBe('old')
  expect(subjectOf(record(null, {}))).toBe('#7')
})
