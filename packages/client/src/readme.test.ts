import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeStore, type TestStore } from '../../server/src/testing/harness.ts'
import { type ServerProcess, spawnServer } from '../../server/src/testing/process.ts'

const home = fileURLToPath(new URL('..', import.meta.url))
const examples = [...readFileSync(`${home}README.md`, 'utf8').matchAll(/```ts\n(.*?)\n```/gs)].map(
  ([, text = '']) => text,
)

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

it.each(examples)('prints what the readme says: %s', (example) => {
  const program = example.replaceAll('http://127.0.0.1:8080', server.url)
  const said = [...example.matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => line)
  const printed = execFileSync(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    cwd: home,
    encoding: 'utf8',
  })
  expect(printed.trimEnd().split('\n')).toEqual(said)
})
