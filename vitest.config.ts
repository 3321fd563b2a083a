import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { isFull } from './packages/server/src/testing/full.ts'

/** Those of the whole service, and those that wait, take longest: if one of them came last, the other workers would idle meanwhile. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isWhole = ({ moduleId }: TestSpecification) =>
      Number(/\/test\/|upgrade-kept|workers\.test|log\/idle|seals\/|events\/delivery|postgres\/waiting/.test(moduleId))
    return (await super.sort(files)).toSorted((one, other) => isWhole(other) - isWhole(one))
  }
}

export default defineConfig({
  test: {
    // For threads that the service starts.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
    include: ['packages/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isFull ? [] : ['**/*.full.test.ts'])],
    globalSetup: ['test/setup/stores.ts'],
    // Four times what the longest test takes on a quiet machine; a test that waits longer has a limit of its own.
    testTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 120_000,
    pool: 'forks',
    // Servers of many tests live in one process: with the usual 16 MB for new objects, collecting them takes 6 % more CPU time.
    execArgv: ['--max-semi-space-size=32'],
    // One more than there are cores: much of the time is spent waiting for processes, browsers and pauses. Two more take as long.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Loading the service anew for each of two hundred files would take a minute and a half.
    isolate: false,
  },
})
