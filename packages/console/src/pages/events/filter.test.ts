import { expect, it } from 'vitest'
import type { Attribute } from '../../forms/attributes.ts'
import { type FilterLine, filterOf, linesOf } from './filter.ts'

const attributes = [
  { bk_property_id: 'bk_cpu', bk_property_type: 'int' },
  { bk_property_id: 'bk_os_name', bk_property_type: 'singlechar' },
] as Attribute[]
const attributeOf = (field: string) => attributes.find((each) => each.bk_property_id === field)
const changed = (field: string): FilterLine => ({ side: 'changed', field, operator: '$eq', value: '' })

it('lines become a filter, and a filter its lines', () => {
  const lines: FilterLine[] = [
    changed('bk_cpu'),
    changed('bk_os_name'),
    { side: 'before', field: 'bk_cpu', operator: '$in', value: '4, 8' },
    { side: 'after', field: 'bk_os_name', operator: 'filled', value: '' },
  ]
  const filter = filterOf(lines, attributeOf)
  expect(filter).toEqual({
    changed: { $in: ['bk_cpu', 'bk_os_name'] },
    'before.bk_cpu': { $in: [4, 8] },
    'after.bk_os_name': { $neq: '' },
  })
  expect(linesOf(filter)).toEqual(lines)
})

it('two conditions on one field stay two; half-typed ones are ignored', () => {
  const line = { side: 'after', field: 'bk_cpu' } as const
  const lines: FilterLine[] = [
    { ...line, operator: '$gt', value: '4' },
    { ...line, operator: '$lt', value: '9' },
  ]
  const filter = filterOf([...lines, changed(''), { ...line, operator: '$eq', value: ' ' }], attributeOf)
  expect(filter).toEqual({ $and: [{ 'after.bk_cpu': { $gt: 4 } }, { 'after.bk_cpu': { $lt: 9 } }] })
  expect(linesOf(filter)).toEqual(lines)
  expect(filterOf([], attributeOf)).toBeNull()
  expect(linesOf(null)).toEqual([])
})

it('a filter of another client may be more than lines can say', () => {
  expect(linesOf({ changed: 'bk_cpu', 'after.bk_cpu': { $gt: 1, $lt: 5 } })).toHaveLength(3)
  expect(linesOf({ $or: [{ changed: 'bk_cpu' }] })).toBeUndefined()
  expect(linesOf({ changed: { $nin: ['bk_cpu'] } })).toBeUndefined()
  expect(linesOf({ $and: [{ $or: [{ changed: 'bk_cpu' }] }] })).toBeUndefined()
})
