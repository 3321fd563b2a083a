import { expect, it } from 'vitest'
import { readBlock } from './stream.ts'

it('reads an event with where to resume, and a sign of life as nothing but that', () => {
  expect(readBlock('id: c1\ndata: {"bk_resource":"set","note":"a: b"}')).toEqual({
    id: 'c1',
    data: { bk_resource: 'set', note: 'a: b' },
  })
  expect(readBlock('id: c2\n:')).toEqual({ id: 'c2', data: undefined })
})
