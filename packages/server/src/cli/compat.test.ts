import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Refusal } from '../common/refusal.ts'
import { startServer, type TestServer } from '../testing/harness.ts'
import { type ClientCommand, clientCommands } from './catalogue.ts'
import { runClientCommand } from './run.ts'

// The same commands against a server that answers as clients of bk-cmdb expect.
let server: TestServer
const form = { subscription_form: 'setcreate', callback_url: 'http://127.0.0.1:9/' }
beforeAll(async () => {
  server = await startServer('sqlite', { flags: ['--compat=bk-cmdb'] })
  for (const name of ['one', 'two']) {
    await server.call('POST', '/event/subscribe/0/0', { ...form, subscription_name: name })
  }
  for (const name of ['LC_ALL', 'LC_MESSAGES', 'LANG', 'MAINLINE_TOKEN', 'MAINLINE_PROFILE']) vi.stubEnv(name, '')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

async function run(url: string, ...[name = '', ...args]: string[]): Promise<string> {
  let out = ''
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text, done?: unknown) => {
    out += text
    if (typeof done === 'function') done()
    return true
  })
  try {
    await runClientCommand(name, clientCommands[name] as ClientCommand, [...args, '--server', url])
  } finally {
    stdout.mockRestore()
  }
  return out
}

it('lists subscriptions', async () => {
  const listed = ['--fields', 'subscription_name', '--sort', '-subscription_name']
  expect((await run(server.url, 'get', 'subscriptions', ...listed)).trim().split(/\s+/)).toEqual([
    'subscription_name',
    'two',
    'one',
  ])
})

it('tells an unauthenticated caller how to authenticate, though the status is 200', async () => {
  const strict = await startServer('sqlite', { flags: ['--compat=bk-cmdb', '--auth=token'] })
  try {
    const refused = await run(strict.url, 'get', 'businesses').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Refusal)
    expect((refused as Refusal).message).toContain('Authenticate with MAINLINE_TOKEN')
  } finally {
    await strict.close()
  }
})
