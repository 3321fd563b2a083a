import { expect, it } from 'vitest'
import { type Entry, type Facts, judge, judgeEvents, judgeTally } from './checker.ts'
import type { Call, History, Look, Tally } from './history.ts'
import { judgeSizes, type Size } from './round.ts'

const entry = (position: number, more: Partial<Entry> = {}): Entry => ({
  ...{
    position,
    transaction: `t${position}`,
    ordinal: 0,
    request: `client-0-${position}`,
    object: 'set',
    instance: position,
  },
  ...{ isState: true, before: null, after: { bk_set_name: `set ${position}` } },
  ...{ events: [{ index: 0, name: 'setcreate' }], joined: [], left: [], revision: 1, counter: `set ${position}` },
  ...more,
})

const call = (nth: number, more: Partial<Call> = {}): Call => ({
  ...{ id: `client-0-${nth}`, what: 'create set', started: nth * 10, ended: nth * 10 + 5, outcome: 'acknowledged' },
  ...{ code: 0, business: 2, effects: [{ kind: 'made', object: 'set', instance: nth }] },
  ...more,
})

/** A record about the set that another record has created. */
const secondOf = (set: number): Partial<Entry> => ({
  ...{ instance: set, counter: `set ${set}`, request: '', events: [] },
  before: { bk_set_name: `set ${set}` },
  after: { bk_set_name: `set ${set}` },
})

const row = (instance: number, name = `set ${instance}`) => ({ object: 'set', instance, values: { bk_set_name: name } })

/** Two sets created one after the other, without any violation. */
const facts: Facts = {
  log: [entry(1), entry(2)],
  rows: [row(1), row(2)],
  kinds: ['set', 'host'],
  placements: [],
  parents: [{ set: 1, under: 'biz', above: 'biz' }],
  counters: new Map([['f', 3]]),
}
const tally: Tally = { id: 'f', acknowledged: 3, unknown: 0, deletion: undefined, isMissed: false }
const look = (started: number, ...sets: number[]): Look => ({
  ...{ started, ended: started + 1, business: 2 },
  sets: new Set(sets),
})
const history: History = { calls: [call(1), call(2)], looks: [look(30, 1, 2)], tallies: [tally], grants: [] }

const verdict = (past: Partial<History>, present: Partial<Facts> = {}) =>
  judge({ ...history, ...past }, { ...facts, ...present })

it('finds no violation in a correct history', () => {
  expect(verdict({})).toEqual([])
  const open = call(3, { outcome: 'unknown', effects: [] })
  const refused = call(4, { outcome: 'refused', code: 1199014 })
  expect(verdict({ calls: [...history.calls, open, refused] })).toEqual([])
})

const grant = (position: number, request: string) =>
  entry(position, { request, object: 'privilege', isState: false, after: null, events: [] })

/** An edit by eve, who is granted the privilege at 1 and loses it at 3. */
const editedAt = (position: number) => ({
  past: {
    calls: [
      ...[1, 3].map((nth) => call(nth, { what: 'grant', effects: [] })),
      call(9, { what: 'edit by a right', user: 'eve', started: 20, effects: [] }),
    ],
    looks: [],
    grants: [{ user: 'eve', granted: 'client-0-1', revoked: 'client-0-3' }],
  },
  present: {
    log: [1, 2, 3, 4].map((each) =>
      each === position ? entry(each, { request: 'client-0-9' }) : grant(each, each % 2 ? `client-0-${each}` : ''),
    ),
    rows: [row(position)],
  },
})

it('accepts an edit before its privilege is revoked, and values left by a removed attribute', () => {
  const { past, present } = editedAt(2)
  expect(verdict(past, present)).toEqual([])
  const removal = { bk_obj_id: 'set', bk_property_id: 'floor' }
  const log = [
    entry(1, { after: { bk_set_name: 'set 1', floor: '3' } }),
    entry(2, { object: 'model', before: null, after: removal, request: '' }),
    entry(3, { object: 'model', instance: 2, before: removal, after: null, request: '' }),
    entry(4, { instance: 1, before: { bk_set_name: 'set 1' }, after: { bk_set_name: 'other' }, request: '' }),
  ]
  expect(verdict({ calls: [call(1)], looks: [] }, { log, rows: [row(1, 'other')], kinds: ['set'] })).toEqual([])
})

const fabricated: [string, Partial<History>, Partial<Facts>, RegExp][] = [
  ['an acknowledged change that is lost', { calls: [call(1), call(2), call(3)] }, {}, /client-0-3.* is not there/],
  [
    'a refused change that is there',
    { calls: [call(1), call(2, { outcome: 'refused' })] },
    {},
    /client-0-2.* is there/,
  ],
  [
    'a change that happened twice',
    {},
    { log: [entry(1), entry(2), entry(3, { request: 'client-0-2' })], rows: [row(1), row(2), row(3)] },
    /client-0-2.* is there 2 times/,
  ],
  [
    'half a change whose outcome is unknown',
    {
      calls: [
        call(1),
        call(2, {
          outcome: 'unknown',
          effects: [
            { kind: 'made', object: 'set', instance: 2 },
            { kind: 'made', object: 'module' },
          ],
        }),
      ],
    },
    {},
    /client-0-2.* lacks .*module/,
  ],
  ['a record that no client requested', { calls: [call(1)] }, {}, /record 2 was requested by no client/],
  ['something forbidden that was done', { calls: [call(1), call(2, { forbidden: true })] }, {}, /is forbidden/],
  [
    'a defect of ours',
    { calls: [call(1), call(2), call(3, { outcome: 'refused', code: 1199999 })] },
    {},
    /defect of ours/,
  ],
  [
    'a target with two sources',
    {},
    {
      log: [1, 2].map((nth) =>
        entry(nth, {
          object: 'instassociation',
          instance: nth,
          revision: 0,
          after: { bk_inst_id: nth, bk_asst_inst_id: 7 },
        }),
      ),
    },
    /record 2: 7 has the sources 1 and 2/,
  ],
  [
    'an instance that begins at another revision',
    {},
    { log: [entry(1), entry(2, { revision: 2 })] },
    /revision 2, not 1/,
  ],
  [
    'two records with one revision',
    {},
    { log: [entry(1), entry(2, { revision: 2, before: {} }), entry(3, { ...secondOf(2), revision: 2 })] },
    /record 3 of set 2 has revision 2, not 3/,
  ],
  [
    'a later version with an earlier time',
    {},
    {
      log: [
        entry(1, { after: { bk_set_name: 'set 1', last_time: '2026-11-18T08:00:00.002+00:00' } }),
        entry(2),
        entry(3, {
          ...secondOf(1),
          revision: 2,
          after: { bk_set_name: 'set 1', last_time: '2026-11-18T08:00:00.002+00:00' },
        }),
      ],
    },
    /record 3 of set 1 is older/,
  ],
  ['a gap in the log', {}, { log: [entry(1), { ...entry(2), position: 3 }] }, /position 3 where 2 belongs/],
  ['a record without a position', {}, { log: [entry(1), { ...entry(2), position: null }] }, /position null/],
  [
    'a record that does not start where the one before it ended',
    {},
    { log: [entry(1), entry(2, { instance: 1, before: { bk_set_name: 'else' }, after: null })], rows: [] },
    /record 2 of set 1 starts from/,
  ],
  [
    'an answered change behind one that was asked for later',
    { calls: [call(1, { id: 'client-0-2', effects: [] }), call(2, { id: 'client-0-1', effects: [] })] },
    {},
    /has position 1, before client-0-2 at 2/,
  ],
  ['a row that is lost', {}, { rows: [row(1)] }, /set 2 is in the log and is not stored/],
  ['a row without a record', {}, { rows: [row(1), row(2), row(3)] }, /set 3 is stored, and the log knows nothing/],
  ['a row that is not what was said', {}, { rows: [row(1), row(2, 'other')] }, /set 2 has bk_set_name "other"/],
  ['a set beside a level', {}, { parents: [{ set: 1, under: 'biz', above: 'region' }] }, /set 1 is under a biz/],
  ['a host where it never went', {}, { placements: ['1 2'] }, /1 2 are together, and apart in the log/],
  [
    'a host that is not where it went',
    {},
    { log: [entry(1), entry(2), entry(3, { object: 'host', joined: [7], isState: false, request: '' })] },
    /3 7 are apart, and together in the log/,
  ],
  ['an old tree', { looks: [look(30, 1)] }, {}, /lacks set 2/],
  [
    'a tree that shows what is gone',
    {
      calls: [
        ...history.calls,
        call(3, { what: 'delete set', effects: [{ kind: 'gone', object: 'set', instance: 2 }] }),
      ],
      looks: [look(40, 1, 2)],
    },
    {
      log: [entry(1), entry(2), entry(3, { instance: 2, before: { bk_set_name: 'set 2' }, after: null })],
      rows: [row(1)],
    },
    /still has set 2/,
  ],
  ['an edit after its right was revoked', editedAt(4).past, editedAt(4).present, /client-0-9 of eve is at 4/],
  [
    'an attribute that exists and was said not to',
    { calls: [call(1), call(2), call(3, { outcome: 'refused', code: 1199011, never: 1199011 })] },
    {},
    /client-0-3.* was refused without a reason/,
  ],
  [
    'a value of an attribute that is removed, though its outcome is unknown',
    { calls: [call(1), call(2, { outcome: 'unknown', forbidden: true })] },
    {},
    /client-0-2.* is forbidden/,
  ],
  ['a step counted twice', {}, { counters: new Map([['f', 4]]) }, /has the value 4/],
  ['a counter that is lost', {}, { counters: new Map() }, /is gone/],
]

it.each(fabricated)('detects %s', (_what, past, present, expected) => {
  const found = verdict(past, present)
  expect(found).toEqual(expect.arrayContaining([expect.stringMatching(expected)]))
})

it('accepts either result of an unknown outcome: a deletion done or not, a step counted or not', () => {
  expect(judgeTally({ ...tally, unknown: 1 }, 4)).toEqual([])
  expect(judgeTally({ ...tally, deletion: 'unknown' }, undefined)).toEqual([])
  expect(judgeTally({ ...tally, deletion: 'acknowledged' }, 3)).toHaveLength(1)
  expect(judgeTally({ ...tally, isMissed: true }, undefined)).toHaveLength(1)
})

it('detects events that are missing, made up, or first sent in another order; repetitions are allowed', () => {
  const places = (...positions: number[]) =>
    positions.map((position) => ({ position, index: 0, instance: `set/${position % 10}` }))
  expect(judgeEvents(places(1, 2, 3), places(1, 2, 1, 2, 3))).toEqual([])
  expect(judgeEvents(places(1, 2, 3), places(1, 3))).toEqual(['event 2.0 has not arrived'])
  expect(judgeEvents(places(1), places(1, 2))).toEqual(['event 2.0 arrived and is not in the log'])
  expect(judgeEvents(places(1, 2, 3), places(1, 3, 2))).toEqual(['event 2.0 arrived first after 3.0'])
  // 1 and 11 are about one instance: 11 waits while 1 is retried, and others continue.
  expect(judgeEvents(places(1, 11, 12), places(1, 12, 1, 11))).toEqual([])
  expect(judgeEvents(places(1, 11, 21), places(1, 21, 1, 11))).toEqual(['event 11.0 arrived first after 21.0'])
  // With several in flight only the order per instance counts.
  expect(judgeEvents(places(1, 2, 12), places(2, 12, 1), { parallel: 2 })).toEqual([])
  expect(judgeEvents(places(1, 2, 12), places(12, 1, 2), { parallel: 2 })).toEqual([
    'event 2.0 arrived first after 12.0',
  ])
})

it('detects a process that leaks memory or sockets, but not one that was restarted', () => {
  const size = (more: Partial<Size> = {}): Size => ({ pid: 1, megabytes: 200, heap: 40, descriptors: 60, ...more })
  expect(judgeSizes([[size()], [size({ megabytes: 300, heap: 60, descriptors: 90 })], [size()]])).toEqual([])
  expect(judgeSizes([[size()], [size({ pid: 2, heap: 90 })]])).toEqual([])
  expect(judgeSizes([[size()], [size({ heap: 90 })]])).toEqual(['process 1 has 90 of heap, and had 40'])
  expect(judgeSizes([[size()], [size({ megabytes: 400 })]])).toHaveLength(1)
  expect(judgeSizes([[size()], [size({ descriptors: 120 })]])).toHaveLength(1)
})
