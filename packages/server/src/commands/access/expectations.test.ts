import { describe, expect, it } from 'vitest'
import { readExpectations } from './expectations.ts'

const read = (text: string) => readExpectations(text, 'p.yaml')

describe('a file of expectations', () => {
  it('says who may, and may not, do what, where, and to what', () => {
    const text = `# a comment
account: 7
expect:
  - amy may create_set in Web shop
  - "jean luc may not update_host in Data: lake with bk_host_id=1,2 bk_cloud_id=0"
  - 小明 may create_inst with bk_obj_id=bk_switch
  - admin may delete_business`
    expect(read(text)).toEqual({
      account: '7',
      expected: [
        expect.objectContaining({
          line: 4,
          user: 'amy',
          may: true,
          operation: 'create_set',
          business: 'Web shop',
          about: {},
        }),
        expect.objectContaining({
          line: 5,
          user: 'jean luc',
          may: false,
          operation: 'update_host',
          business: 'Data: lake',
          about: { bk_host_id: '1,2', bk_cloud_id: '0' },
        }),
        expect.objectContaining({ user: '小明', business: undefined, about: { bk_obj_id: 'bk_switch' } }),
        expect.objectContaining({ line: 7, operation: 'delete_business', business: undefined, about: {} }),
      ],
    })
    expect(read('expect: [a may b]').account).toBe('0')
  })

  it.each([
    ['nothing', '', "p.yaml:1: the file must contain 'expect:'"],
    ['a list alone', '- amy may search_set', "p.yaml:1: the file must contain 'expect:'"],
    ['no list', 'account: "0"', "p.yaml:1: 'expect' must be a list"],
    ['an empty list', 'expect: []', "p.yaml:1: 'expect' must be a list"],
    ['broken YAML', 'expect:\n  - [amy\n', 'p.yaml:3: '],
    ['a key twice', 'expect: [a may b]\nexpect: [a may b]', 'p.yaml:2: '],
    ['an unknown key', 'expect: [a may b]\naccounts: 0', "p.yaml:2: unknown key 'accounts'"],
    ['an account that is none', 'account: []\nexpect: [a may b]', "p.yaml:1: 'account' must be"],
    ['what is no sentence', 'expect:\n  - a may b\n  - a can b', 'p.yaml:3: a sentence is'],
    ['a map for a sentence', 'expect:\n  - user: amy', 'p.yaml:2: a sentence is'],
    ['no operation', 'expect:\n  - amy may not', 'p.yaml:2: a sentence is'],
    ['nothing for a sentence', 'expect:\n  -', 'p.yaml:2: a sentence is'],
  ])('is refused with %s, with the position', (_, text, saying) => {
    expect(() => read(text)).toThrow(saying)
  })
})
