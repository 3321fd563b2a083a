import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeStore, type TestStore } from '../../server/src/testing/harness.ts'
import { type ServerProcess, spawnServer } from '../../server/src/testing/process.ts'

const home = fileURLToPath(new URL('..', import.meta.url))
/** The examples, by the heading that each stands under. */
const examples = [
  ...readFileSync(`${home}README.md`, 'utf8').matchAll(/^#+ ([^\n]+)\n(?:(?!^#).)*?```ts\n(.*?)\n```/gms),
].map(([, heading = '', program = '']) => ({ heading, program }))

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

it('the readme has examples', () => expect(examples.length).toBeGreaterThanOrEqual(5))

it.concurrent.each(examples)('prints what the readme says: $heading', async ({ program }) => {
  const said = [...program.matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => line)
  const here = program.replaceAll('http://127.0.0.1:8080', server.url)
  const flags = ['--input-type=module-typescript', '--eval', here]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: home })
  expect(stdout.trimEnd().split('\n')).toEqual(said)
})
