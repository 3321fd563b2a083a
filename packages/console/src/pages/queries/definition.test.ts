import { expect, it } from 'vitest'
import { beginning, draftIn, infoOf, isSame, readInfo, toAddress } from './definition.ts'

const query = {
  filters: [
    { object: 'module', field: 'bk_module_name', operator: '$in', value: 'web,nginx' },
    { object: 'set', field: 'bk_set_env', operator: '$eq', value: '3' },
  ],
  columns: [{ object: 'host', field: 'bk_host_innerip' }],
} as const

it('is saved kind by kind, in the order of the columns; what is only asked about gives its id and not everything', () => {
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

it('comes back as it was saved', () => {
  const read = readInfo(JSON.stringify(infoOf(query, () => [])))
  expect(read.whole).toBe(true)
  expect(read.columns).toEqual(query.columns)
  expect(read.filters).toHaveLength(2)
  expect(readInfo(JSON.stringify(infoOf(beginning, () => []))).columns).toEqual(beginning.columns)
})

it('knows when somebody else has saved what this page cannot show', () => {
  expect(readInfo('{"condition":[],"page":{"sort":"x"}}').whole).toBe(false)
  expect(readInfo('{"condition":[{"bk_obj_id":"plat","fields":[],"condition":[]}]}').whole).toBe(false)
  expect(readInfo('not JSON')).toEqual({ filters: [], columns: [], whole: true })
})

it('has not changed while a condition is only half typed', () => {
  expect(isSame(beginning, { ...beginning, filters: [] })).toBe(true)
  expect(isSame(beginning, { ...beginning, columns: [] })).toBe(false)
})

it('keeps in the address what is not saved, half typed or not', () => {
  const draft = { ...beginning, name: 'web & more' }
  expect(draftIn(toAddress(draft))).toEqual(draft)
  for (const nonsense of [undefined, '', 'x', 'null', '7', '[]', '{}', '{"filters":1,"columns":[]}']) {
    expect(draftIn(nonsense)).toBeNull()
  }
  const half =
    '{"name":7,"filters":[null,{"object":"nothing"}],"columns":[null,{"object":"host"},{"object":"x","field":"y"}]}'
  expect(draftIn(half)).toEqual({ name: '', filters: [], columns: [] })
})
