import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeStore, type TestStore } from '../packages/server/src/testing/harness.ts'
import { entry, type ServerProcess, spawnServer } from '../packages/server/src/testing/process.ts'

const guide = readFileSync('docs/guides/import-export.md', 'utf8')
const blocks = [...guide.matchAll(/<!-- run -->\n```sh\n(.*?)\n```\n```text\n(.*?)\n```/gs)]
const home = mkdtempSync(join(tmpdir(), 'mainline-import-export-'))
let store: TestStore
let server: ServerProcess
beforeAll(async () => {
  store = await makeStore('sqlite')
  server = await spawnServer(store, ['--demo'])
  writeFileSync(join(home, 'mainline'), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`)
  chmodSync(join(home, 'mainline'), 0o755)
})
afterAll(async () => {
  await server.end('SIGTERM')
  store.remove()
  rmSync(home, { recursive: true, force: true })
})

it('the commands of the guide answer what it says, one after the other', async () => {
  expect(blocks.length).toBe(5)
  for (const [, command = '', answer = ''] of blocks) {
    const script = command.replaceAll('http://127.0.0.1:8080', server.url)
    const env = { PATH: `${home}:${process.env.PATH}`, MAINLINE_SERVER: server.url }
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: home, env })
    const parts = answer.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    expect(stdout.trimEnd().replaceAll('\r', '')).toMatch(new RegExp(`^${parts.join('.*')}$`))
  }
})
