import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeStore, type TestStore } from '../packages/server/src/testing/harness.ts'
import { type ServerProcess, spawnServer } from '../packages/server/src/testing/process.ts'

/** The marked commands of a page and what it says they answer; `…` stands for what differs from day to day. */
const commandsOf = (page: string) =>
  [
    ...readFileSync(page, 'utf8').matchAll(/<!-- (?:tour|run) -->\n```sh\n(.*?)\n```\n```(?:json|text)\n(.*?)\n```/gs),
  ].map(([, command = '', answer = '']) => ({ command, answer }))

describe.each(['README.md', 'docs/guides/use-the-interface.md'])('%s', (page) => {
  const commands = commandsOf(page)
  let store: TestStore
  let server: ServerProcess
  beforeAll(async () => {
    store = await makeStore('sqlite')
    server = await spawnServer(store, ['--demo'])
  })
  afterAll(async () => {
    await server.end('SIGTERM')
    store.remove()
  })

  it('has commands to try', () => {
    expect(commands.length).toBeGreaterThanOrEqual(5)
  })

  it.each(commands)('tells the truth: $command', async ({ command, answer }) => {
    const printed = execFileSync('bash', ['-c', command.replaceAll('http://127.0.0.1:8080', server.url)], {
      encoding: 'utf8',
      env: { ...process.env, api: `${server.url}/api/v3` },
    })
    const parts = answer.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    expect(printed.trimEnd()).toMatch(new RegExp(`^${parts.join('[^"]*')}$`))
  })
})
