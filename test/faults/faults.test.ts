import { expect, it } from 'vitest'
import { isFull } from '../../packages/server/src/testing/full.ts'
import type { EngineName } from '../../packages/server/src/testing/harness.ts'
import { faults } from './kinds.ts'
import { randomOf } from './random.ts'
import { judgeSizes, round } from './round.ts'
import { makeWorld } from './world.ts'

/** The short form: some of the faults, once; `npm run test:full` adds others. For all of them, repeatedly: npm run faults. */
const chosen: Record<EngineName, readonly string[]> = {
  sqlite: ['kill -9', 'disk full', ...(isFull ? ['data directory read-only', 'clock jumps'] : [])],
  postgres: ['kill -9', 'connections cut', ...(isFull ? ['fail-over'] : [])],
}
const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 1_000_000)

it.each<EngineName>(['sqlite', 'postgres'])(
  `on %s everything acknowledged is there once, in order, and told, whatever fails (FAULTS_SEED=${seed})`,
  async (engine) => {
    const random = randomOf(seed)
    const world = await makeWorld({ engine, seed, random, clients: 6, servers: engine === 'sqlite' ? 1 : 2, rest: 80 })
    try {
      const sizes = []
      for (const name of chosen[engine]) {
        const fault = faults[engine].find((each) => each.name.startsWith(name))
        if (!fault) throw new Error(`no fault is called ${name}`)
        const lacks = fault.lacks?.(world)
        if (lacks) process.stderr.write(`${name} is left out: ${lacks}\n`)
        else {
          const { violations, size } = await round(world, fault, random, { before: 300, after: 300, bound: 60_000 })
          expect(violations, `after ${name}; ${[...world.complaints.keys()].join('; ')}`).toEqual([])
          sizes.push(size)
        }
      }
      expect(judgeSizes(sizes)).toEqual([])
    } finally {
      await world.close()
    }
  },
)
