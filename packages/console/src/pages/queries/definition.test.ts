import { expect, it } from 'vitest'
import type { Attribute } from '../../forms/attributes.ts'
import { beginning, draftIn, infoOf, isSame, isWhole, readInfo, toAddress } from './definition.ts'

const query = {
  filters: [
    { object: 'module', field: 'bk_module_name', operator: '$in', value: 'web,nginx' },
    { object: 'set', field: 'bk_set_env', operator: '$eq', value: '3' },
  ],
  columns: [{ object: 'host', field: 'bk_host_innerip' }],
} as const

it('is saved by object in the order of the columns; an object that is only filtered gets its id as field', () => {
  expect(infoOf(query, () => []).condition).toEqual([
    { bk_obj_id: 'host', fields: ['bk_host_innerip'], condition: [] },
    { bk_obj_id: 'set', fields: ['bk_set_id'], condition: [{ field: 'bk_set_env', operator: '$eq', value: '3' }] },
    {
      bk_obj_id: 'module',
      fields: ['bk_module_id'],
      condition: [{ field: 'bk_module_name', operator: '$in', value: ['web', 'nginx'] }],
    },
  ])
})

it('survives a round trip', () => {
  const stored = JSON.stringify(infoOf(query, () => []))
  const read = readInfo(stored)
  expect(isWhole(stored, () => [])).toBe(true)
  expect(read.columns).toEqual(query.columns)
  expect(read.filters).toHaveLength(2)
  expect(readInfo(JSON.stringify(infoOf(beginning, () => []))).columns).toEqual(beginning.columns)
})

const attributes = [
  { bk_property_id: 'bk_os_name', bk_property_type: 'singlechar' },
  { bk_property_id: 'bk_cpu', bk_property_type: 'int' },
] as Attribute[]
const stored = (bk_obj_id: string, fields: string[] | null, ...condition: [string, string, unknown][]) =>
  JSON.stringify({
    condition: [
      { bk_obj_id, fields, condition: condition.map(([field, operator, value]) => ({ field, operator, value })) },
    ],
  })

it('keeps the meaning of queries saved by other clients', () => {
  for (const [text, kept] of [
    [stored('host', []), [{ bk_obj_id: 'host', fields: [], condition: [] }]],
    [stored('set', null), [{ bk_obj_id: 'set', fields: [], condition: [] }]],
    [stored('host', ['bk_host_id']), [{ bk_obj_id: 'host', fields: ['bk_host_id'], condition: [] }]],
    [
      stored('host', [], ['bk_os_name', '$in', ['Debian 12', 'RHEL']]),
      [
        {
          bk_obj_id: 'host',
          fields: [],
          condition: [{ field: 'bk_os_name', operator: '$in', value: ['Debian 12', 'RHEL'] }],
        },
      ],
    ],
    [
      stored('host', ['bk_os_name'], ['bk_os_name', '$ne', ''], ['bk_cpu', '$in', '4, 8'], ['bk_cpu', '$exists', true]),
      [
        {
          bk_obj_id: 'host',
          fields: ['bk_os_name'],
          condition: [
            { field: 'bk_os_name', operator: '$neq', value: '' },
            { field: 'bk_cpu', operator: '$in', value: [4, 8] },
            { field: 'bk_cpu', operator: '$exists', value: true },
          ],
        },
      ],
    ],
  ] as const) {
    expect(infoOf(readInfo(text), () => attributes).condition).toEqual(kept)
    expect(isWhole(text, () => attributes)).toBe(true)
  }
})

it('recognises definitions that this page cannot show', () => {
  for (const text of [
    stored('host', [], ['bk_os_name', '$in', ['one, two']]),
    stored('host', [], ['bk_os_name', '$in', ['', 'Debian']]),
    stored('host', [], ['bk_os_name', '$in', []]),
    stored('host', [], ['bk_os_name', '$eq', null]),
    stored('host', [], ['bk_os_name', '$eq', ' Debian']),
    stored('plat', []),
  ]) {
    expect(isWhole(text, () => attributes)).toBe(false)
  }
  expect(readInfo('not JSON')).toEqual({ filters: [], columns: [], beside: {} })
})

it('merges several entries of one object, and keeps other keys', () => {
  const text = JSON.stringify({
    bk_biz_id: 2,
    condition: [
      { bk_obj_id: 'set', fields: ['bk_set_name'], condition: [{ field: 'bk_set_env', operator: '$eq', value: '3' }] },
      { bk_obj_id: 'set', fields: [], condition: [{ field: 'bk_set_name', operator: '$regex', value: '^a b' }] },
    ],
    page: { sort: '-bk_host_name' },
  })
  const read = readInfo(text)
  expect(read.columns).toEqual([{ object: 'set', field: '*' }])
  expect(read.filters).toHaveLength(2)
  expect(read.beside).toEqual({ bk_biz_id: 2, page: { sort: '-bk_host_name' } })
  expect(isWhole(text, () => [])).toBe(true)
})

it('has not changed while a condition is half typed', () => {
  expect(isSame(beginning, { ...beginning, filters: [] })).toBe(true)
  expect(isSame(beginning, { ...beginning, columns: [] })).toBe(false)
})

it('keeps unsaved edits in the address, complete or not', () => {
  const draft = { ...beginning, name: 'web & more' }
  expect(draftIn(toAddress(draft))).toEqual(draft)
  for (const nonsense of [undefined, '', 'x', 'null', '7', '[]', '{}', '{"filters":1,"columns":[]}']) {
    expect(draftIn(nonsense)).toBeNull()
  }
  const half =
    '{"name":7,"filters":[null,{"object":"nothing"}],"columns":[null,{"object":"host"},{"object":"x","field":"y"}]}'
  expect(draftIn(half)).toEqual({ name: '', filters: [], columns: [] })
})
