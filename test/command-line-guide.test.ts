import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeStore, type TestStore } from '../packages/server/src/testing/harness.ts'
import { entry, type ServerProcess, spawnServer } from '../packages/server/src/testing/process.ts'

const guide = readFileSync('docs/guides/command-line.md', 'utf8')
const blocks = [...guide.matchAll(/<!-- run -->\n```sh\n(.*?)\n```\n```text\n(.*?)\n```/gs)].map(
  ([, commands = '', answer = '']) => ({ commands, answer }),
)
const usual = 'http://127.0.0.1:8080'

const home = mkdtempSync(join(tmpdir(), 'mainline-guide-'))
let store: TestStore
let server: ServerProcess
beforeAll(async () => {
  store = await makeStore('sqlite')
  server = await spawnServer(store, ['--demo'])
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin/mainline'), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`, { mode: 0o755 })
})
afterAll(async () => {
  await server.end('SIGTERM')
  store.remove()
  rmSync(home, { recursive: true, force: true })
})

it('the guide has commands to try', () => expect(blocks.length).toBeGreaterThanOrEqual(6))

it.each(blocks)('the command line guide tells the truth: $commands', async ({ commands, answer }) => {
  const env = {
    PATH: `${home}/bin:${process.env.PATH}`,
    XDG_CONFIG_HOME: home,
    LC_ALL: 'C.UTF-8',
    // The block about profiles must not be told which server to ask.
    ...(!commands.includes('profile') && { MAINLINE_SERVER: server.url }),
  }
  const { stdout } = await promisify(execFile)('bash', ['-ec', commands.replaceAll(usual, server.url)], { env })
  // The address of this server may be longer or shorter than the usual one.
  const said = stdout.trimEnd().replaceAll('\r', '').replaceAll(server.url, usual).replace(/ +/g, ' ')
  const parts = answer.replace(/ +/g, ' ').split('…')
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^ ]+')
  expect(said).toMatch(new RegExp(`^${pattern}$`))
})
