import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeStore, type TestStore } from '../packages/server/src/testing/harness.ts'
import { type ServerProcess, spawnServer } from '../packages/server/src/testing/process.ts'

/** The commands of the tour and what the README says they answer; `…` stands for what differs from day to day. */
const tour = [
  ...readFileSync('README.md', 'utf8').matchAll(/<!-- tour -->\n```sh\n(.*?)\n```\n```json\n(.*?)\n```/gs),
].map(([, command = '', answer = '']) => ({ command, answer }))

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

it('has a tour', () => {
  expect(tour.length).toBeGreaterThanOrEqual(5)
})

it.each(tour)('tells the truth: $command', async ({ command, answer }) => {
  const printed = execFileSync('bash', ['-c', command.replaceAll('http://127.0.0.1:8080', server.url)], {
    encoding: 'utf8',
  })
  const parts = answer.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  expect(printed).toMatch(new RegExp(`^${parts.join('[^"]*')}$`))
})
