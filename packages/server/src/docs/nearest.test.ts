import { expect, it } from 'vitest'
import { nearestPages } from './nearest.ts'

const paths = (asked: string) => nearestPages(asked).map(({ path }) => path)

it('finds the page that a mistyped address was meant for', () => {
  expect(paths('guides/import_export')[0]).toBe('guides/import-export')
  expect(paths('guides/instal')[0]).toBe('guides/install')
  expect(paths('reverse-proxy.html')[0]).toBe('guides/reverse-proxy')
  expect(paths('error')[0]).toBe('errors')
})

it('suggests few pages, and none for a dissimilar address', () => {
  expect(paths('guides/e').length).toBeLessThanOrEqual(4)
  expect(paths('zzqx')).toEqual([])
  expect(paths('')).toEqual([])
})
