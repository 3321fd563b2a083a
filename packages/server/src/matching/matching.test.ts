import { RE2JS } from 're2js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asCaller, currentCaller, withinMatchingLimit } from '../common/caller.ts'
import type { Condition } from '../condition/condition.ts'
import { sift } from '../condition/sift.ts'
import { callerBudget, matchesWithinRequest } from './index.ts'
import { type MatchPool, openMatchPool } from './pool.ts'

/** 480 optional parts: the DFA would be too large, so RE2 simulates all states of the NFA at every step. */
const slow = '(.?){480}[yz]'

const rowsOf = (texts: readonly string[]) => texts.map((text) => ({ text }))
const siftTexts = (texts: readonly string[], pattern: string) => {
  const condition: Condition = { field: 'text', test: { is: 'matching', pattern: RE2JS.compile(pattern) } }
  return sift(rowsOf(texts), {
    condition,
    fields: new Map([['text', { type: 'text', at: { column: 'text' } }]]),
    view: ({ text }) => ({ builtIn: 0, value: () => text }),
  })
}

/** The maximum event loop lag. */
async function latenessDuring(work: () => Promise<unknown>): Promise<number> {
  let worst = 0
  let last = performance.now()
  const beat = setInterval(() => {
    worst = Math.max(worst, performance.now() - last)
    last = performance.now()
  }, 1)
  await work()
  clearInterval(beat)
  return Math.max(worst, performance.now() - last)
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `host-${index}.example.com`)
let callers = 0
/** Each test has its own caller, because used budgets persist. */
const asNewCaller = <T>(work: () => T | Promise<T>, gone?: () => AbortSignal) =>
  asCaller({ account: '0', user: `caller ${callers++}` }, async () => work(), gone)

describe('a search by a pattern', () => {
  it('finds the same rows in the same order on the event loop and in threads', async () => {
    const texts = numbered(30_000)
    const expected = texts.filter((text) => /7\.example|^host-1/.test(text))
    const found = await asNewCaller(() => siftTexts(texts, '7\\.example|^host-1'))
    expect(found.map(({ text }) => text)).toEqual(expected)
    const few = await asNewCaller(() => siftTexts(texts.slice(0, 100), '7\\.example|^host-1'))
    expect(few.map(({ text }) => text)).toEqual(expected.filter((text) => texts.indexOf(text) < 100))
  })

  it('that takes too long is refused, without blocking the event loop', async () => {
    let refused: unknown
    const late = await latenessDuring(() =>
      asNewCaller(() => withinMatchingLimit(1_000, () => siftTexts(numbered(20_000), slow))).catch((error) => {
        refused = error
      }),
    )
    expect(refused).toMatchObject({ code: 1199006, message: expect.stringContaining("'text.$regex'") })
    expect(String((refused as Error).message)).toContain('1 s of CPU time')
    // Before the limit, one request for 20,000 hosts blocked it for 21 seconds in total.
    expect(late).toBeLessThan(500)
  })

  it('is refused if pattern and text together are too large', async () => {
    const found = asNewCaller(() => siftTexts(['x'.repeat(100_000)], slow))
    await expect(found).rejects.toMatchObject({ code: 1199006, message: expect.stringContaining('100000 characters') })
  })

  it('ends when the client disconnects', async () => {
    const client = new AbortController()
    const found = asNewCaller(
      () => siftTexts(numbered(20_000), slow),
      () => client.signal,
    )
    const ended = expect(found).rejects.toMatchObject({ kind: 'clientGone' })
    setTimeout(() => client.abort(), 50)
    const started = performance.now()
    await ended
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  it('is refused once its caller has used up its budget; other callers are not affected', async () => {
    const refused = asNewCaller(() => {
      callerBudget.charge(currentCaller(), 11_000)
      return siftTexts(numbered(20_000), slow)
    })
    await expect(refused).rejects.toMatchObject({ kind: 'tooManyRequests', retryAfter: 4 })
    expect(await asNewCaller(() => siftTexts(numbered(5_000), 'host-77\\.'))).toEqual([{ text: 'host-77.example.com' }])
  })
})

describe('values that are checked on the event loop', () => {
  it('are refused once the request has exceeded its time limit', async () => {
    const pattern = RE2JS.compile(slow)
    await asNewCaller(() => {
      expect(matchesWithinRequest(pattern, 'x'.repeat(2_000))).toBe('slow')
      const outcomes = Array.from({ length: 200 }, () => matchesWithinRequest(pattern, 'host.example.com'))
      expect(outcomes[0]).toBe(false)
      expect(outcomes.at(-1)).toBe('slow')
    })
    await asNewCaller(() => expect(matchesWithinRequest(RE2JS.compile('^[a-z]+$'), 'x'.repeat(100))).toBe(true))
  })
})

describe('the threads', () => {
  let pool: MatchPool
  beforeAll(() => {
    pool = openMatchPool(1)
  })
  afterAll(() => pool.close())

  it('serve callers in turns: a heavy caller delays another by at most one job', async () => {
    const order: string[] = []
    const texts = numbered(20)
    const job = (caller: string) => pool.match(caller, slow, texts).then(() => order.push(caller))
    await Promise.all([...Array.from({ length: 10 }, () => job('greedy')), job('modest')])
    expect(order.indexOf('modest')).toBeLessThanOrEqual(2)
  })

  it('drop queued work of disconnected clients', async () => {
    const client = new AbortController()
    const running = pool.match('ann', slow, numbered(50))
    const waiting = pool.match('ann', slow, numbered(50), client.signal)
    client.abort()
    await expect(waiting).rejects.toMatchObject({ kind: 'clientGone' })
    expect((await running).found).toHaveLength(50)
  })

  it('are replaced when one has exited', async () => {
    const running = pool.match('ann', slow, numbered(500))
    const refused = expect(running).rejects.toMatchObject({ kind: 'notReady' })
    await pool.close()
    await refused
    expect((await pool.match('ann', 'a', ['a', 'b'])).found).toEqual(Uint8Array.of(1, 0))
  })
})
