import { expect, it } from 'vitest'
import { emptyHistory, Marks } from './marks.ts'

const mark = (position: number) => ({ position, id: `record ${position}` })

it('keeps the newest record, and older ones increasingly sparsely', () => {
  const marks = new Marks()
  for (let position = 1; position <= 10_000; position++) marks.add(mark(position))
  expect(marks.newest).toEqual(mark(10_000))
  expect(marks.all.length).toBeLessThanOrEqual(64)
  expect(marks.all).toContainEqual(emptyHistory)
  expect(marks.all.slice(-10).map(({ position }) => position)).toEqual(
    Array.from({ length: 10 }, (_, nth) => 9_991 + nth),
  )
  // However far the database goes back, a mark from shortly before is known.
  const positions = marks.all.map(({ position }) => position).filter((position) => position > 5_000)
  expect(positions.length).toBeGreaterThan(20)
})

it('ignores records older than the newest, until it is reset', () => {
  const marks = new Marks()
  marks.add(mark(7))
  marks.add({ position: 5, id: 'another' })
  expect(marks.newest).toEqual(mark(7))
  marks.restart(mark(3))
  expect(marks.all).toEqual([emptyHistory, mark(3)])
})
