import { expect, it } from 'vitest'
import type { FoundNode } from '../../api/nodes.ts'
import type { Subscription } from '../events/questions.ts'
import type { HostRow } from '../hosts/questions.ts'
import { emptyModules, longIdle, troubledSubscriptions } from './attention.ts'

it('lists each subscription once, with its worst problem, without healthy and paused ones', () => {
  const subscription = (state: string, dead_letters = 0) => ({ state, dead_letters }) as Subscription
  const found = troubledSubscriptions([
    subscription('active'),
    subscription('unreachable', 3),
    subscription('active', 1),
    subscription('paused'),
    subscription('lapsed'),
  ])
  expect(found.map(({ kind }) => kind)).toEqual(['unreachable', 'lapsed', 'dead'])
})

it('counts long idle hosts by business, without recently moved ones', () => {
  const row = (bk_host_id: number, bk_biz_id: number): HostRow => ({
    host: { bk_host_id, bk_host_innerip: '' },
    biz: [{ bk_biz_id, bk_biz_name: `business ${bk_biz_id}` }],
    set: [],
    module: [{ bk_module_id: bk_biz_id * 10, bk_module_name: 'idle', TopModuleName: '' }],
  })
  expect(longIdle([row(1, 2), row(2, 2), row(3, 3), row(4, 4)], new Set([2, 4]), true)).toEqual([
    { kind: 'idle', business: { id: 2, name: 'business 2' }, module: 20, hosts: 1, atLeast: true },
    { kind: 'idle', business: { id: 3, name: 'business 3' }, module: 30, hosts: 1, atLeast: true },
  ])
})

it('groups modules without hosts by business', () => {
  const node = (bk_biz_id: number, bk_inst_name: string) =>
    ({ bk_biz_id, bk_biz_name: 'shop', bk_inst_name }) as FoundNode
  const found = emptyModules([node(2, 'a'), node(3, 'b'), node(2, 'c')], false)
  expect(
    found.map((matter) => (matter.kind === 'empty' ? matter.modules.map((each) => each.bk_inst_name) : [])),
  ).toEqual([['a', 'c'], ['b']])
})
