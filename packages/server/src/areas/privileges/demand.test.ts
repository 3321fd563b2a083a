import { expect, it } from 'vitest'
import { hostIds } from './demand.ts'

it.each([
  [7, [7]],
  ['7', [7]],
  ['1,2, 3', [1, 2, 3]],
  [
    [1, '2', '3,4'],
    [1, 2, 3, 4],
  ],
  [' 5 ,', [5]],
  [undefined, []],
  [null, []],
  ['', []],
  ['x,0,-1,1.5,9007199254740993', []],
  [[[1]], []],
  [{ 0: 1 }, []],
])('reads %j as the hosts %j, and leaves the rest to body validation', (sent, ids) => {
  expect(hostIds(sent)).toEqual(ids)
})
