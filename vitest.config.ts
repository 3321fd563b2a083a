import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    globalSetup: ['test/setup/postgres.ts'],
    testTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 180_000,
    pool: 'forks',
    // One more than there are cores: much of the time is spent waiting for processes, browsers and pauses.
    maxWorkers: availableParallelism() + 1,
    // Loading the service anew for each of two hundred files would take a minute and a half.
    isolate: false,
  },
})
