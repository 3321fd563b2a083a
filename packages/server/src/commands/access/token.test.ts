import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openAccessAdmin } from '../../service.ts'
import { type AuditRow, makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { callWith } from '../../testing/data/identities.ts'
import { subscribe } from '../../testing/data/subscriptions.ts'
import { configOf, eachEngine, makeStore, silent, startServer } from '../../testing/harness.ts'
import { runCommand, spawnServer } from '../../testing/process.ts'
import { startReceiver } from '../../testing/servers/receiver.ts'
import { tokenCommand } from './token.ts'

eachEngine((engine) => {
  it('creates, lists and revokes tokens, before the first start and beside a running server', async () => {
    const store = await makeStore(engine)
    const token = (...args: string[]) => runCommand(['token', ...args, ...store.flags])
    const made = await token('create', '--user', 'admin', '--name', 'first key')
    expect(made.code).toBe(0)
    const first = made.output.trim().split('\n').at(-1) ?? ''
    expect(first).toMatch(/^ml_1_[\w-]{43}$/)

    const server = await spawnServer(store, ['--auth', 'token'])
    const admin = callWith(server, first)
    expect((await admin('POST', '/biz/search/0', {})).status).toBe(200)

    const ci = await token('create', '--user=ci', '--account=far', '--read-only', '--expires=30m')
    const second = ci.output.trim().split('\n').at(-1) ?? ''
    const reading = callWith(server, second)
    expect((await reading('POST', '/biz/search/far', {})).status).toBe(200)
    expect((await reading('POST', '/biz/far', {})).bk_error_msg).toContain('read-only')

    const revoked = await token('revoke', '2')
    expect(revoked).toEqual({ code: 0, output: 'Token 2 of ci is revoked.\n' })
    expect((await reading('POST', '/biz/search/far', {})).status).toBe(401)

    const { output } = await token('list')
    expect(output).toMatch(/^ID +USER +ACCOUNT +ACCESS +CREATED +EXPIRES +LAST USED +STATE +NAME\n/)
    const time = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}'
    expect(output).toMatch(new RegExp(`\\n1 +admin +0 +full +${time} +${time} +${time} +good +first key\\n`))
    expect(output).toMatch(new RegExp(`\\n2 +ci +far +read-only +${time} +${time} +\\S+ +revoked ${time}\\n`))
    expect(output).not.toContain(first.slice(5))

    const audit = await admin<{ info: AuditRow[] }>('POST', '/audit/search', { condition: { op_target: 'privilege' } })
    expect(audit.data.info).toMatchObject([
      { op_desc: 'create token', operator: expect.stringContaining('(command line)') },
    ])
    expect(await server.end('SIGTERM')).toBe(0)
    expect(existsSync(join(store.dataDir, 'control.sock'))).toBe(false)
    store.remove()
  })

  it('sends no events, whatever is pending', async () => {
    const store = await makeStore(engine)
    const server = await startServer(engine, { store })
    const receiver = await startReceiver({ instead: 'hang' })
    await subscribe(server, receiver)
    await makeSet(server, await makeBusiness(server))
    await receiver.received(1)
    await server.close()
    receiver.answer({ status: 200 })
    const { accessAdmin, close } = await openAccessAdmin(configOf(store), silent)
    await pause(1_500)
    expect(await accessAdmin.list()).toEqual([])
    await close()
    expect(receiver.requests).toHaveLength(1)

    const again = await startServer(engine, { store })
    await receiver.received(2)
    await again.close()
    await receiver.close()
    store.remove()
  })
})

it('uses the server through a socket that only its owner can access, and works directly once that was killed', async () => {
  const store = await makeStore('sqlite')
  const server = await spawnServer(store)
  expect(statSync(join(store.dataDir, 'control.sock')).mode & 0o777).toBe(0o600)
  await server.end('SIGKILL')
  expect((await runCommand(['token', 'create', '--user', 'amy', ...store.flags])).code).toBe(0)
  store.remove()
})

it.each<[string[], RegExp]>([
  [['sing'], /Use 'mainline token create', 'list' or 'revoke'/],
  [['create', '--user', 'amy', '--expires', 'soon'], /--expires is 'soon': it must be a duration such as 45s/],
  [['create', '--user', 'amy', '--colour', 'red'], /'mainline token' has no flag --colour/],
  [['revoke', 'x'], /The token id is missing or invalid/],
  [['create'], /The user is missing/],
  [['list', '--user', 'amy'], /--user is for 'mainline token create'/],
])('says in a sentence what is wrong: %j', async (args, sentence) => {
  await expect(tokenCommand(args)).rejects.toThrow(sentence)
})
