import { describe, expect, it } from 'vitest'
import { best, rankOf, seek } from './rank.ts'

const order = (typed: string, names: readonly string[]): string[] =>
  best(names, 10, (name) => rankOf(seek(typed), [name])).map(({ item }) => item)

describe('the rank of a name', () => {
  it('is best if it is what was typed, then if it begins with it, then if a word of it does, then if it contains it', () => {
    const names = ['my dbase', 'north-db', 'db-1', 'web', 'DB']
    expect(order('db', names)).toEqual(['DB', 'db-1', 'my dbase', 'north-db'])
    expect(order('ase', names)).toEqual(['my dbase'])
    expect(order('base', ['my dbase', 'base-1', 'data base'])).toEqual(['base-1', 'data base', 'my dbase'])
  })

  it('does not depend on case, on the width of characters, or on blanks around the text', () => {
    expect(order('  ＤＢ１ ', ['db1'])).toEqual(['db1'])
  })

  it('finds several words in any order, each as the beginning of one', () => {
    expect(order('business cre', ['Create business', 'Archive business'])).toEqual(['Create business'])
    expect(order('usiness cre', ['Create business'])).toEqual([])
  })

  it('finds Chinese words wherever they begin', () => {
    expect(order('业务', ['创建业务', '业务拓扑', '主机'])).toEqual(['业务拓扑', '创建业务'])
    expect(order('业务 创建', ['创建业务'])).toEqual(['创建业务'])
  })

  it('is that of the best of several names, and worse for a synonym, of which a part of a word does not count', () => {
    const rank = (typed: string) => rankOf(seek(typed), ['10.0.0.1', 'db-1'], ['master'])
    expect(rank('db-1')).toBe(rankOf(seek('10.0.0.1'), ['10.0.0.1', 'db-1']))
    expect(rank('master')).toBeGreaterThan(rank('db-1') ?? Number.NaN)
    expect(rank('aster')).toBeUndefined()
    expect(rank('')).toBeDefined()
  })
})

describe('the best items', () => {
  it('are as many as asked for, in their order within a rank', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `node ${index}`)
    const found = best([...names, 'node'], 3, (name) => rankOf(seek('node'), [name]))
    expect(found.map(({ item }) => item)).toEqual(['node', 'node 0', 'node 1'])
  })
})
