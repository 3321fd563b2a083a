import { describe, expect, it } from 'vitest'
import type { Attribute } from '../../forms/attributes.ts'
import { common } from '../../words/common.ts'
import { hosts } from '../../words/hosts.ts'
import { leftOut } from './columns.ts'
import { parseCsv, toCsv } from './csv.ts'
import { bodyOf, readWords } from './questions.ts'
import { readHosts } from './rows.ts'

const attribute = (id: string, name: string, type: string) =>
  ({ bk_property_id: id, bk_property_name: name, bk_property_type: type, isrequired: false, option: null }) as Attribute
const attributes = [
  attribute('bk_host_innerip', 'Inner IP', 'singlechar'),
  attribute('bk_host_name', 'Host name', 'singlechar'),
  attribute('bk_cpu', 'CPU', 'int'),
  attribute('bk_os_name', 'Operating system', 'singlechar'),
  { ...attribute('bk_mem', 'Memory', 'int'), unit: 'MB' },
]
const words = { ...common.en.check, ...hosts.en }

describe('hosts to be added', () => {
  it('can be a list of addresses with any separators', () => {
    expect(readHosts('10.0.0.1\n10.0.0.2, 10.0.0.3', attributes, words).rows.map((each) => each.address)).toEqual([
      '10.0.0.1',
      '10.0.0.2',
      '10.0.0.3',
    ])
  })

  it('can be a table whose first line names the address column by id or name', () => {
    expect(readHosts('Inner IP,host name,bk_cpu\n10.0.0.1,"web, one",4', attributes, words).rows).toEqual([
      {
        row: 2,
        address: '10.0.0.1',
        values: { bk_host_innerip: '10.0.0.1', bk_host_name: 'web, one', bk_cpu: 4 },
        problem: undefined,
      },
    ])
  })

  it('may contain placements, as an exported table does in either language', () => {
    for (const where of ['Where', '位置']) {
      const text = toCsv([
        ['Inner IP', 'Host name', where],
        ['10.0.0.1', '-one', 'Web shop / cart / web'],
      ])
      expect(readHosts(text, attributes, words).rows).toEqual([
        {
          row: 2,
          address: '10.0.0.1',
          values: { bk_host_innerip: '10.0.0.1', bk_host_name: '-one' },
          problem: undefined,
        },
      ])
    }
  })

  it.each([
    ['commas', 'IP,Hostname,OS,Cores,Memory (MB)\n10.0.0.1,web-1,Debian,4,8192'],
    ['semicolons', '\ufeffIP;Hostname;OS;Cores;Memory (MB)\r\n10.0.0.1;web-1;Debian;4;8192\r\n'],
    ['tabs', 'IP\tHostname\tOS\tCores\tMemory (GB)\n10.0.0.1\tweb-1\tDebian\t4\t8'],
    [
      'the headers of the other language',
      '内网IP,主机名,操作系统,CPU核数,内存容量（MB）\n10.0.0.1,web-1,Debian,4,8192',
    ],
    ['quotes around separators', '"IP","Hostname","OS","Cores","Memory (MB)"\n"10.0.0.1","web-1","Debian","4","8192"'],
  ])('keep all columns of spreadsheet headers: %s', (_, text) => {
    const values = { bk_host_innerip: '10.0.0.1', bk_host_name: 'web-1', bk_os_name: 'Debian', bk_cpu: 4, bk_mem: 8192 }
    expect(readHosts(text, attributes, words).rows).toEqual([
      { row: 2, address: '10.0.0.1', values, problem: undefined },
    ])
  })

  it('are found by the column of addresses, and take the attributes that the user chooses', () => {
    const text = 'server,label,colour\n10.0.0.1,web-1,red\n10.0.0.2,web-2,blue'
    const first = readHosts(text, attributes, words)
    expect(first.rows.map(({ address, problem }) => [address, problem])).toEqual([
      ['10.0.0.1', words.noColumn('label')],
      ['10.0.0.2', words.noColumn('label')],
    ])
    const second = readHosts(text, attributes, words, { 1: 'bk_host_name', 2: leftOut })
    expect(second.rows.map(({ values, problem }) => [values.bk_host_name, problem])).toEqual([
      ['web-1', undefined],
      ['web-2', undefined],
    ])
  })

  it('are invalid without an address; ranges are expanded', () => {
    const text = '10.9.1.999\n10.9.1.250-10.9.2.1\n10.9.3.7 - 9\n10.9.9.9-1\nfe80::1\nweb-1'
    expect(readHosts(text, attributes, words).rows.map(({ address, problem }) => [address, problem])).toEqual([
      ['10.9.1.999', words.badAddress],
      ...[
        '10.9.1.250',
        '10.9.1.251',
        '10.9.1.252',
        '10.9.1.253',
        '10.9.1.254',
        '10.9.1.255',
        '10.9.2.0',
        '10.9.2.1',
      ].map((each) => [each, undefined]),
      ...['10.9.3.7', '10.9.3.8', '10.9.3.9'].map((each) => [each, undefined]),
      ['10.9.9.9-1', words.badAddress],
      ['fe80::1', undefined],
      ['web-1', words.badAddress],
    ])
    expect(readHosts('10.0.0.0-10.255.255.255', attributes, words).rows).toHaveLength(1)
  })

  it('report which row is invalid and why, before they are sent', () => {
    const text = 'bk_host_innerip,bk_cpu,colour\n10.0.0.1,many,\n,4,\n10.0.0.1,4,\n10.0.0.4,4,red'
    expect(readHosts(text, attributes, words).rows.map((each) => each.problem)).toEqual([
      `CPU: ${words.integer}`,
      words.noAddress,
      words.twice,
      words.noColumn('colour'),
    ])
  })
})

it('reads and writes CSV like spreadsheets, and neutralises formulas', () => {
  const rows = [
    ['a', 'b "c"', 'd,e'],
    ['1', 'two\nlines', ''],
  ]
  expect(parseCsv(toCsv(rows))).toEqual(rows)
  expect(toCsv([['=1+1', "'-1"]])).toBe("'=1+1,''-1")
  expect(parseCsv(toCsv([['=1+1', "'-1", "'tis"]]))).toEqual([['=1+1', "'-1", "'tis"]])
})

it('treats words as addresses if they could be, and otherwise as a name', () => {
  expect(readWords(' 10.0. ')).toEqual({ addresses: ['10.0.'] })
  expect(readWords('fe80::1 10.0.0.1')).toEqual({ addresses: ['fe80::1', '10.0.0.1'] })
  expect(readWords('cafe')).toEqual({ name: 'cafe' })
  const body = bodyOf({ conditions: [], words: '10.0.0.1,10.0.0.2', fields: [] })
  expect(body.ip).toMatchObject({ exact: 1, data: ['10.0.0.1', '10.0.0.2'] })
})
