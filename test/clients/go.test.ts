import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../packages/server/src/testing/harness.ts'
import { lostCursor } from './lost-cursor.ts'

const isInstalled = spawnSync('go', ['version']).status === 0
if (!isInstalled) process.stderr.write('go is not installed: its client is not tried\n')

describe.skipIf(!isInstalled)('the Go client', () => {
  it('calls, retries, reads pages, watches and verifies webhooks', async () => {
    const server = await startServer('sqlite')
    const env = { ...process.env, MAINLINE_URL: server.url, MAINLINE_LOST_CURSOR: lostCursor, GOPROXY: 'off' }
    try {
      // Each run asks another server.
      const { stdout } = await promisify(execFile)('go', ['test', '-count=1', './...'], { cwd: 'packages/go', env })
      expect(stdout).toMatch(/^ok\s+mainline\.example\/client/)
    } finally {
      await server.close()
    }
  })
})
