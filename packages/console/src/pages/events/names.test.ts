import { expect, it } from 'vitest'
import { barsOf, healthOf, needsAttention } from './health.ts'
import { groupsOf, queryEvent, queryIn, sayEvent } from './names.ts'
import type { Attempt, CatalogueEntry, Subscription } from './questions.ts'

const entry = (event_name: string, bk_obj_id: string): CatalogueEntry => ({
  event_name,
  bk_resource: bk_obj_id,
  bk_obj_id,
  bk_obj_name: bk_obj_id === 'set' ? 'Set' : 'Host',
  sample: {},
})
const groups = groupsOf(
  [
    entry('hostupdate', 'host'),
    entry('setcreate', 'set'),
    entry('setdelete', 'set'),
    entry('moduletransfer', 'host'),
    entry('customquery:<id>', 'host'),
  ],
  ['biz', 'set', 'host'],
)
const words = {
  actions: { create: 'created', update: 'changed', delete: 'deleted' },
  special: { moduletransfer: 'moves' },
  queryEvent: (name: string) => `Query ${name}`,
}

it('groups the catalogue by object along the main line, without the placeholder for saved queries', () => {
  expect(
    groups.map((group) => [group.name, [...group.actions.keys()], group.others.map((each) => each.event_name)]),
  ).toEqual([
    ['Set', ['create', 'delete'], []],
    ['Host', ['update'], ['moduletransfer']],
  ])
})

it('has readable names for events, unknown ones included', () => {
  const say = (name: string) => sayEvent(name, groups, [{ id: 'c1', name: 'web' }], words)
  expect(['setcreate', 'moduletransfer', 'customquery:c1', 'customquery:c2', 'rackcreate'].map(say)).toEqual([
    'Set created',
    'Host moves',
    'Query web',
    'Query c2',
    'rackcreate',
  ])
  expect(queryIn(queryEvent('c1'))).toBe('c1')
  expect(queryIn('setcreate')).toBeUndefined()
})

it('distinguishes subscriptions that need attention from healthy and paused ones', () => {
  const subscription = (more: Partial<Subscription>) =>
    ({ state: 'active', dead_letters: 0, waiting: 0, ...more }) as Subscription
  expect(healthOf(subscription({}))).toBe('active')
  expect(healthOf(subscription({ waiting: 1 }))).toBe('rejecting')
  expect(healthOf(subscription({ state: 'paused', dead_letters: 1 }))).toBe('paused')
  expect(needsAttention(subscription({ waiting: 1 }))).toBe(false)
  expect(needsAttention(subscription({ dead_letters: 1 }))).toBe(true)
  expect(needsAttention(subscription({ state: 'lapsed' }))).toBe(true)
})

it('draws the latest attempts from left to right, within the available height', () => {
  const attempt = (result: string, duration: number) => ({ result, duration }) as Attempt
  const bars = barsOf([attempt('rejected', 60_000), attempt('confirmed', 0), attempt('confirmed', 9)], 2)
  expect(bars.map(({ result }) => result)).toEqual(['confirmed', 'rejected'])
  expect(bars.map(({ height }) => height)).toEqual([0.15, 1])
})
