import { expect, it } from 'vitest'
import { emptyHistory, Marks } from './marks.ts'

const mark = (position: number) => ({ position, id: `record ${position}` })

it.each([300, 10_000, 200_000])('of %i records keeps one close below any, the older the sparser', (count) => {
  const marks = new Marks()
  for (let position = 1; position <= count; position++) marks.add(mark(position))
  expect(marks.newest).toEqual(mark(count))
  expect(marks.all[0]).toEqual(emptyHistory)
  expect(marks.all.length).toBeLessThanOrEqual(1_000)
  expect(marks.all.slice(-10).map(({ position }) => position)).toEqual(
    Array.from({ length: 10 }, (_, nth) => count - 9 + nth),
  )
  // However far the database goes back: the position that a reset names is at most an eighth of what is lost too low.
  for (let back = 1; back < count; back = Math.ceil(back * 1.3)) {
    const known = marks.all.findLast(({ position }) => position <= count - back)?.position ?? 0
    expect(count - back - known).toBeLessThanOrEqual(back / 8 + 1)
  }
})

it('ignores records older than the newest, until it is reset', () => {
  const marks = new Marks()
  marks.add(mark(7))
  marks.add({ position: 5, id: 'another' })
  expect(marks.newest).toEqual(mark(7))
  marks.restart(mark(3))
  expect(marks.all).toEqual([emptyHistory, mark(3)])
})
