import { it } from 'vitest'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { eachEngine } from '../../packages/server/src/testing/harness.ts'
import { waysBack } from './histories.ts'

eachEngine((engine) => {
  // `npm run test:full` and `npm run faults` try the other ways of PostgreSQL, too.
  const tried = waysBack[engine].filter(({ name }) => isFull || engine === 'sqlite' || name.startsWith('a snapshot'))
  it.each(tried)('$name', { timeout: 120_000 }, ({ run }) => run(0))
})
