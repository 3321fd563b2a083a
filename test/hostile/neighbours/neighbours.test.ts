import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFull } from '../../../packages/server/src/testing/full.ts'
import type { EngineName } from '../../../packages/server/src/testing/harness.ts'
import { measured } from '../../../packages/server/src/testing/measured.ts'
import { type AttackerName, openStreet, type Street } from './street.ts'

/** SQLite reads in the server's own process, where an attack is most effective; `npm run test:full` tries PostgreSQL, too. */
const engines: EngineName[] = isFull ? ['sqlite', 'postgres'] : ['sqlite']

/** Process statistics are read from /proc on Linux. */
describe.runIf(process.platform === 'linux')('during the attack of a caller with few privileges', () => {
  describe.each(engines)('on %s', (engine) => {
    let street: Street
    beforeAll(async () => {
      street = await openStreet(engine, 5_000)
      await street.calm(1_000)
    })
    afterAll(() => street?.close())

    it.each<[AttackerName, string]>([
      ['anonymous', 'bad tokens, stalled bodies, large documents'],
      ['reader', 'patterns, bodies that stall, costly JSON'],
      ['maintainer', 'patterns in saved queries, files, changes'],
      ['eventHolder', 'patterns in confirmations, watches, streams'],
      ['modeller', 'changes of the model'],
      ['auditor', 'searches that nothing cached serves, integrity checks'],
      ['hoarder', 'pages of large records, read slowly or not at all'],
      ['stranger', 'short connections, idempotency keys, searches'],
      ['follower', 'associations of a host that thousands are associated with'],
    ])('its neighbour is answered as usual: %s (%s)', measured, async (attacker) => {
      const { failures, p99Ms, slowdown } = await street.attack(attacker, 2_000)
      expect(failures).toEqual([])
      // Other tests run concurrently, so the time that the server waits for a processor is deducted; `npm run neighbours` does not deduct it.
      expect(p99Ms).toBeLessThanOrEqual(500 * slowdown)
      // Memory and the time until the server is idle are checked by `npm run neighbours`: see docs/security.md for the limits.
    })
  })
})
