import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../packages/server/src/testing/data/factories.ts'
import { becomes, subscribe } from '../packages/server/src/testing/data/subscriptions.ts'
import { startServer, type TestServer } from '../packages/server/src/testing/harness.ts'
import { freePort } from '../packages/server/src/testing/servers/postgres.ts'
import { blocksOf } from './docs/blocks.ts'

const { text: program = '' } = blocksOf('docs/guides/events.md').find(({ file }) => file === 'receiver.mjs') ?? {}

let server: TestServer
let receiver: ChildProcess
const home = mkdtempSync(join(tmpdir(), 'mainline-guide-'))
beforeAll(async () => {
  server = await startServer('sqlite')
})
afterAll(async () => {
  receiver.kill()
  await server.close()
  rmSync(home, { recursive: true, force: true })
})

it('the receiver of the guide accepts signed events, prints each once, and refuses everything else', async () => {
  expect(program).toContain('isGenuine')
  writeFileSync(join(home, 'receiver.mjs'), program)
  const business = await makeBusiness(server)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/events`
  const { id, secret, path } = await subscribe(server, { url }, { subscription_form: 'setcreate' })
  const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret }
  receiver = spawn(process.execPath, [join(home, 'receiver.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const printed = once(receiver.stdout as NodeJS.ReadableStream, 'data')
  await makeSet(server, business, { bk_set_name: 'payments' })
  expect(String(await printed)).toBe('create set payments\n')

  const forged = await fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-signature': 'v1,AAAA' } })
  expect(forged.status).toBe(401)
  await becomes(server, id, { dead_letters: 0, waiting: 0, lag: 0 })
  await server.call('POST', `${path}/secret`, {})
  await server.call('POST', `${path}/replay`, { from_position: 1, to_position: 1_000 })
  await expect
    .poll(async () => (await server.call<unknown[]>('GET', `${path}/attempts`)).data)
    .toContainEqual(expect.objectContaining({ result: 'confirmed', distribution_id: 2 }))
})
