import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdSet } from '../matches/id-set.ts'
import { Column, type Value } from './column.ts'
import { HostColumns } from './host-columns.ts'

const id = fc.oneof(fc.nat(200), fc.nat(20_000))
const value = fc.constantFrom<Value | undefined>(undefined, null, '', '1', 1, true, 'a', 'b')
const many = fc.integer({ min: 0, max: 70_000 })
const changes = fc.array(fc.tuple(id, fc.oneof(value, many)), { maxLength: 300 })

const idsOf = (column: Column, test: (value: Value) => boolean) => {
  const bits = column.passing(test)
  return IdSet.ofBitmaps(column.chunks.map((chunk) => [chunk, bits(chunk)] as const))
}

it('has the value of each host after any changes, and leaves earlier versions as they were', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 5 }), value, (rounds, wanted) => {
      let column = Column.empty()
      const kept = new Map<number, Value>()
      const found = () => idsOf(column, (each) => each === wanted).slice(0, 1_000)
      for (const round of rounds) {
        const [before, earlier] = [column, found()]
        column = column.with(round)
        for (const [each, is] of round) is === undefined ? kept.delete(each) : kept.set(each, is)
        expect(idsOf(before, (each) => each === wanted).slice(0, 1_000)).toEqual(earlier)
      }
      const expected = [...kept].filter(([, each]) => each === wanted).map(([each]) => each)
      expect(found()).toEqual(expected.sort((a, b) => a - b))
      expect(column.size).toBe(kept.size)
      expect(idsOf(column, () => true).size).toBe(kept.size)
    }),
  )
})

const columnWith = (hosts: number, values: number) =>
  Column.empty().with(Array.from({ length: hosts }, (_, index) => [index + 1, `value ${index % values}`] as const))

it('takes one byte for a host where hosts share up to 255 values, and two up to 65,535', () => {
  expect(columnWith(100_000, 200).weight).toBeLessThan(150_000)
  expect(columnWith(100_000, 1_000).weight).toBeLessThan(370_000)
})

it('is worn once most of its values are no longer used', () => {
  let column = columnWith(10, 10)
  for (let turn = 0; turn < 1_030; turn++) {
    expect(column.isWorn).toBe(turn > 1_010)
    column = column.with([[1, turn]])
  }
})

it('keeps within a limit: without columns that are not needed, then without the largest', () => {
  const sizes = { a: 5, b: 200, c: 20_000 }
  const columns = new Map(Object.entries(sizes).map(([name, values]) => [name, columnWith(20_000, values)]))
  const all = new HostColumns({ newest: '', unnumbered: '' }, columns)
  const kept = (maxBytes: number, needed: string[]) => {
    const { columns, declined, weight } = all.within(maxBytes, needed)
    expect(weight).toBeLessThanOrEqual(maxBytes)
    return [[...columns.keys()].join(''), [...declined].join('')]
  }
  expect(kept(all.weight, ['a'])).toEqual(['abc', ''])
  expect(kept(all.weight - 1, ['b', 'c'])).toEqual(['bc', ''])
  expect(kept(200_000, ['a', 'b', 'c'])).toEqual(['ab', 'c'])
  expect(kept(200_000, ['c'])).toEqual(['', 'c'])
})
