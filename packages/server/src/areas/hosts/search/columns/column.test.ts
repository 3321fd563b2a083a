import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdSet } from '../matches/id-set.ts'
import { type Bits, Column } from './column.ts'
import type { Value } from './dictionary.ts'
import { HostColumns } from './host-columns.ts'

const id = fc.oneof(fc.nat(200), fc.nat(20_000))
const value = fc.constantFrom<Value | undefined>(undefined, null, '', '1', 1, true, 'a', 'b')
const many = fc.integer({ min: 0, max: 70_000 })
const changes = fc.array(fc.tuple(id, fc.oneof(value, many)), { maxLength: 300 })

const idsIn = (column: Column, bits: Bits) => IdSet.ofBitmaps(column.chunks.map((chunk) => [chunk, bits(chunk)]))
const idsOf = async (column: Column, passes: (value: Value) => boolean) =>
  idsIn(column, await column.passing({ passes })).slice(0, 1_000)

it('has the value of each host after any changes, and leaves earlier versions as they were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(changes, { maxLength: 5 }), value, async (rounds, wanted) => {
      let column = Column.empty()
      const kept = new Map<number, Value>()
      const found = (of: Column) => idsOf(of, (each) => each === wanted)
      for (const round of rounds) {
        const [before, earlier] = [column, await found(column)]
        column = column.with(round)
        for (const [each, is] of round) is === undefined ? kept.delete(each) : kept.set(each, is)
        expect(await found(before)).toEqual(earlier)
      }
      const expected = [...kept].filter(([, each]) => each === wanted).map(([each]) => each)
      expect(await found(column)).toEqual(expected.sort((a, b) => a - b))
      expect(column.size).toBe(kept.size)
      expect(idsIn(column, column.everyone()).size).toBe(kept.size)
    }),
  )
})

it('chooses among the distinct values of the candidates, and of no other hosts', async () => {
  await fc.assert(
    fc.asyncProperty(changes, fc.func(fc.boolean()), fc.func(fc.boolean()), async (round, isCandidate, isChosen) => {
      const column = Column.empty().with(round)
      const kept = new Map<number, Value>()
      for (const [each, is] of round) is === undefined ? kept.delete(each) : kept.set(each, is)
      const candidates = await column.passing({ passes: isCandidate })
      const [expected, asked] = [[...new Set(kept.values())].filter((each) => isCandidate(each)), [] as Value[]]
      const chosen = await column.chosen(candidates, async (values) => {
        asked.push(...values)
        return values.filter((each) => isChosen(each))
      })
      expect(new Set(asked)).toEqual(new Set(expected))
      const ids = [...kept].filter(([, each]) => expected.includes(each) && isChosen(each)).map(([each]) => each)
      expect(idsIn(column, chosen).slice(0, 1_000)).toEqual(ids.sort((a, b) => a - b))
    }),
  )
})

const columnWith = (hosts: number, values: number) =>
  Column.empty().with(Array.from({ length: hosts }, (_, index) => [index + 1, `value ${index % values}`] as const))

it('takes one byte for a host where hosts share up to 255 values, and two up to 65,535', () => {
  expect(columnWith(100_000, 200).weight).toBeLessThan(150_000)
  expect(columnWith(100_000, 1_000).weight).toBeLessThan(370_000)
})

it('takes less than 45 bytes for a host where each has a name of its own', () => {
  expect(columnWith(100_000, 100_000).weight).toBeLessThan(4_500_000)
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
