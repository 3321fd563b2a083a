import { expect, it } from 'vitest'
import { measured } from '../../../../testing/measured.ts'
import { confirming, readConfirmation } from './confirm.ts'

it.each([
  [undefined, undefined, { mode: 'httpstatus', pattern: '200' }],
  ['', '', { mode: 'httpstatus', pattern: '200' }],
  ['httpstatus', ' 204 ', { mode: 'httpstatus', pattern: '204' }],
  ['httpstatus', 201, { mode: 'httpstatus', pattern: '201' }],
  ['httpstatus', null, { mode: 'httpstatus', pattern: '200' }],
  ['regular', '^ok$', { mode: 'regular', pattern: '^ok$' }],
  ['regular', 7, { mode: 'regular', pattern: '7' }],
])('reads mode %j with pattern %j', (mode, pattern, expected) => {
  expect(readConfirmation(mode, pattern)).toEqual(expected)
})

it.each([
  ['status', '200', 1199006],
  ['httpstatus', '20', 1199006],
  ['httpstatus', '600', 1199006],
  ['httpstatus', 'ok', 1199006],
  ['httpstatus', {}, 1199007],
  ['regular', '', 1199010],
  ['regular', undefined, 1199010],
  ['regular', '(', 1199006],
  ['regular', '(?=ahead)', 1199006],
  ['regular', '(a)\\1', 1199006],
  ['regular', 'x'.repeat(1001), 1199006],
  ['regular', '(a{1000}){1000}', 1199006],
])('refuses mode %j with pattern %j', (mode, pattern, code) => {
  expect(() => readConfirmation(mode, pattern)).toThrow(expect.objectContaining({ code }))
})

const confirmation = (mode: string, pattern: string, maxBytes = 4_096) =>
  confirming({ mode, pattern, maxBytes, caller: 'ann' })

it('with httpstatus the status must equal the pattern, whatever the body', async () => {
  const confirms = confirmation('httpstatus', '204')
  expect(await confirms({ status: 204, body: 'no' })).toBe(true)
  expect(await confirms({ status: 200, body: '204' })).toBe(false)
})

it('with regular the pattern is searched anywhere in the body, whatever the status', async () => {
  const confirms = confirmation('regular', '"code":\\s*0\\b')
  expect(await confirms({ status: 500, body: '{"code": 0}' })).toBe(true)
  expect(await confirms({ status: 200, body: '{"code": 01}' })).toBe(false)
})

it('with regular only the beginning of the body is searched', async () => {
  const body = `${'x'.repeat(10)}ok`
  expect(await confirmation('regular', 'ok', 12)({ status: 200, body })).toBe(true)
  expect(await confirmation('regular', 'ok', 11)({ status: 200, body })).toBe(false)
  // A truncated character does not match.
  expect(await confirmation('regular', '^é$', 1)({ status: 200, body: 'é' })).toBe(false)
})

it('a pattern that takes too long does not confirm, and does not block the event loop', async () => {
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  const answer = { status: 200, body: 'y'.repeat(8_192) }
  expect(await confirmation('regular', '(.?){480}[yz]$')(answer)).toBe('slow')
  clearInterval(counting)
  expect(turns).toBeGreaterThan(10)
})

const slow = '(.?){480}[yz]'
/** The processor time that these patterns take on one answer, all at the same moment. */
async function costMs(caller: string, patterns: readonly string[]): Promise<number> {
  const answer = { status: 200, body: 'x'.repeat(4_096) }
  const before = process.cpuUsage()
  const results = await Promise.all(
    patterns.map((pattern) => confirming({ mode: 'regular', pattern, maxBytes: 4_096, caller })(answer)),
  )
  expect(new Set(results)).toEqual(new Set(['slow']))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Expects them to cost no more than a budget, which is refilled while they run: on a busy machine that takes long. */
async function expectWithin(caller: string, patterns: readonly string[], burstMs: number, share: number) {
  const single = await costMs(`${caller} alone`, [slow])
  const started = performance.now()
  const cost = await costMs(caller, patterns)
  const refilledMs = share * (performance.now() - started)
  expect(cost).toBeLessThan(burstMs + 1.5 * refilledMs + 3 * single)
}

it('twenty answers at the same moment cost no more than the budget of their pattern', measured, async () => {
  await costMs('warm-up', [slow])
  await expectWithin('twenty', Array(20).fill(slow), 500, 0.1)
})

it(
  'many slow patterns cost no more than the budget of their caller, who can still use quick ones',
  measured,
  async () => {
    const patterns = Array.from({ length: 30 }, (_, nth) => `${slow}|${nth}`)
    await expectWithin('collector', patterns, 1_000, 0.2)
    const quick = confirming({ mode: 'regular', pattern: '"code":0', maxBytes: 4_096, caller: 'collector' })
    expect(await quick({ status: 200, body: '{"code":0}' })).toBe(true)
  },
)
