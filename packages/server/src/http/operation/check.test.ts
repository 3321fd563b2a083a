import { hosts, type Problem } from '@mainline/contract'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { measured } from '../../testing/measured.ts'
import { bodyCheckOf } from './check.ts'

const fieldOf = (problem: Problem | undefined) => (problem as unknown as { field: string }).field

describe('the first error of a body', () => {
  const check = bodyCheckOf(
    Type.Object({
      rows: Type.Optional(Type.Array(Type.Object({ ids: Type.Array(Type.Integer()) }), { maxItems: 500 })),
      start: Type.Optional(Type.Integer()),
    }),
  )
  const rows = (count: number) => Array.from({ length: count }, () => ({ ids: [1] as unknown[] }))

  it('is found in a long list, with its index', () => {
    const some = rows(400)
    some[321] = { ids: [...Array(150).fill(7), 'x', 'y'] }
    expect(fieldOf(check({ rows: some }))).toBe('rows.321.ids.150')
  })

  it('is found beside a valid long list', () => {
    expect(fieldOf(check({ rows: rows(400), start: 'x' }))).toBe('start')
  })

  it('may be that a list is too long', () => {
    expect(check({ rows: rows(501) })).toMatchObject({ kind: 'tooMany', code: 1199035 })
  })

  it('may be that a later value is not a list', () => {
    const some: unknown[] = rows(400)
    some[399] = { ids: 'none' }
    expect(fieldOf(check({ rows: some }))).toBe('rows.399.ids')
  })
})

describe('a search with 20,000 wrong conditions', () => {
  it('is refused for the first one as fast as with a hundred', measured, () => {
    const check = bodyCheckOf(hosts.searchHosts.body)
    const search = (count: number) => ({ condition: Array.from({ length: count }, () => ({})) })
    const costMs = (count: number) => {
      const bodies = Array.from({ length: 10 }, () => search(count))
      const { user, system } = process.cpuUsage()
      for (const body of bodies) expect(fieldOf(check(body))).toBe('condition.0.bk_obj_id')
      const spent = process.cpuUsage({ user, system })
      return (spent.user + spent.system) / 1000
    }
    costMs(100)
    // Describing every entry takes more than fifty times as long.
    expect(costMs(20_000)).toBeLessThan(20 * costMs(100) + 20)
  })
})
