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
    // By itself it would leave one core idle; much of the time is spent waiting for processes and browsers.
    maxWorkers: Math.max(2, availableParallelism()),
  },
})
