import { expect, it } from 'vitest'
import type { Attribute } from './attributes.ts'
import { conditionsOf, type Filter, fromAddress, listed, operatorsFor, toAddress } from './filters.ts'

const cpu = { bk_property_id: 'bk_cpu', bk_property_type: 'int' } as Attribute
const filters: Filter[] = [
  { object: 'host', field: 'bk_cpu', operator: '$in', value: '4, 8' },
  { object: 'host', field: 'bk_host_name', operator: '$eq', value: 'a, b' },
  { object: 'set', field: 'bk_set_env', operator: '$eq', value: '3' },
  { object: 'set', field: 'bk_set_name', operator: '$eq', value: ' ' },
]

it('sends operators by type, and ignores incomplete conditions', () => {
  expect(conditionsOf(filters, () => [cpu])).toEqual([
    {
      bk_obj_id: 'host',
      condition: [
        { field: 'bk_cpu', operator: '$in', value: [4, 8] },
        { field: 'bk_host_name', operator: '$eq', value: 'a, b' },
      ],
    },
    { bk_obj_id: 'set', condition: [{ field: 'bk_set_env', operator: '$eq', value: '3' }] },
  ])
})

it('splits lists of text at commas, and accepts the empty text only if enabled', () => {
  const os = { bk_property_id: 'bk_os_name', bk_property_type: 'singlechar' } as Attribute
  const ip = { bk_property_id: 'bk_host_innerip', bk_property_type: 'singlechar' } as Attribute
  const asked = (field: string, operator: Filter['operator'], value: string) =>
    conditionsOf([{ object: 'host', field, operator, value }], () => [os, ip, cpu])[0]?.condition[0]
  expect(asked('bk_os_name', '$in', 'Debian 12, RHEL 9\nArch')).toMatchObject({
    value: ['Debian 12', 'RHEL 9', 'Arch'],
  })
  expect(asked('bk_host_innerip', '$in', '10.0.0.1 10.0.0.2')).toMatchObject({ value: ['10.0.0.1', '10.0.0.2'] })
  expect(asked('bk_cpu', '$in', '4 8')).toMatchObject({ value: [4, 8] })
  expect(asked('bk_os_name', '$eq', '')).toBeUndefined()
  expect(asked('bk_os_name', 'empty', '')).toMatchObject({ operator: '$eq', value: '' })
  expect(asked('bk_os_name', 'filled', '')).toMatchObject({ operator: '$neq', value: '' })
  expect(asked('bk_os_name', '$regex', ' a, b')).toMatchObject({ value: ' a, b' })
  expect(asked('bk_cpu', '$exists', 'false')).toMatchObject({ value: false })
})

it('survives a round trip through the address, and ignores an invalid address', () => {
  expect(fromAddress(toAddress(filters))).toEqual(filters)
  expect(fromAddress('{')).toEqual([])
  expect(fromAddress('[{"object":"host"},7,null]')).toEqual([])
})

it('splits pasted lists', () => {
  expect(listed('10.0.0.1, 10.0.0.2\n10.0.0.3；10.0.0.4')).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'])
})

it('offers more operators for quantities than for ids', () => {
  expect(operatorsFor(cpu)).toContain('$gte')
  expect(operatorsFor({ ...cpu, option: [{ id: '0', name: 'default area' }] })).not.toContain('$gte')
  expect(operatorsFor(undefined)).toContain('$regex')
})
