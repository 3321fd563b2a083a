import { describe, expect, it } from 'vitest'
import type { Attribute } from '../../forms/attributes.ts'
import { common } from '../../words/common.ts'
import { hosts } from '../../words/hosts.ts'
import { parseCsv, toCsv } from './csv.ts'
import { bodyOf, readWords } from './questions.ts'
import { readHosts } from './rows.ts'

const attribute = (id: string, name: string, type: string) =>
  ({ bk_property_id: id, bk_property_name: name, bk_property_type: type, isrequired: false, option: null }) as Attribute
const attributes = [
  attribute('bk_host_innerip', 'Inner IP', 'singlechar'),
  attribute('bk_host_name', 'Host name', 'singlechar'),
  attribute('bk_cpu', 'CPU', 'int'),
]
const words = { ...common.en.check, ...hosts.en }

describe('hosts to be added', () => {
  it('are a list of addresses, however they are separated', () => {
    expect(readHosts('10.0.0.1\n10.0.0.2, 10.0.0.3', attributes, words).map((each) => each.address)).toEqual([
      '10.0.0.1',
      '10.0.0.2',
      '10.0.0.3',
    ])
  })

  it('are a table when its first line names the address, by id or by name', () => {
    expect(readHosts('Inner IP,host name,bk_cpu\n10.0.0.1,"web, one",4', attributes, words)).toEqual([
      {
        row: 2,
        address: '10.0.0.1',
        values: { bk_host_innerip: '10.0.0.1', bk_host_name: 'web, one', bk_cpu: 4 },
        problem: undefined,
      },
    ])
  })

  it('may come with where they stand, as an exported table does in either language', () => {
    for (const where of ['Where', '位置']) {
      const text = toCsv([
        ['Inner IP', 'Host name', where],
        ['10.0.0.1', '-one', 'Web shop / cart / web'],
      ])
      expect(readHosts(text, attributes, words)).toEqual([
        {
          row: 2,
          address: '10.0.0.1',
          values: { bk_host_innerip: '10.0.0.1', bk_host_name: '-one' },
          problem: undefined,
        },
      ])
    }
  })

  it('say which row is wrong and why, before they are sent', () => {
    const text = 'bk_host_innerip,bk_cpu,colour\n10.0.0.1,many,\n,4,\n10.0.0.1,4,\n10.0.0.4,4,red'
    expect(readHosts(text, attributes, words).map((each) => each.problem)).toEqual([
      `CPU: ${words.integer}`,
      words.noAddress,
      words.twice,
      words.noColumn('colour'),
    ])
  })
})

it('reads and writes CSV as spreadsheets do, and lets no cell become a formula', () => {
  const rows = [
    ['a', 'b "c"', 'd,e'],
    ['1', 'two\nlines', ''],
  ]
  expect(parseCsv(toCsv(rows))).toEqual(rows)
  expect(toCsv([['=1+1', "'-1"]])).toBe("'=1+1,''-1")
  expect(parseCsv(toCsv([['=1+1', "'-1", "'tis"]]))).toEqual([['=1+1', "'-1", "'tis"]])
})

it('takes words for addresses when they could be, and for a name otherwise', () => {
  expect(readWords(' 10.0. ')).toEqual({ addresses: ['10.0.'] })
  expect(readWords('fe80::1 10.0.0.1')).toEqual({ addresses: ['fe80::1', '10.0.0.1'] })
  expect(readWords('cafe')).toEqual({ name: 'cafe' })
  const body = bodyOf({ conditions: [], words: '10.0.0.1,10.0.0.2', fields: [] })
  expect(body.ip).toMatchObject({ exact: 1, data: ['10.0.0.1', '10.0.0.2'] })
})
