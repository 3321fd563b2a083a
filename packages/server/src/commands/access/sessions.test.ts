import { afterAll, beforeAll, expect, it } from 'vitest'
import { refusalBehind } from '../../common/refusal.ts'
import { CookieJar } from '../../testing/clients/jar.ts'
import type { AuditRow } from '../../testing/data/factories.ts'
import { bearing } from '../../testing/data/identities.ts'
import { call, eachEngine, makeStore, type TestStore } from '../../testing/harness.ts'
import { runCommand, type ServerProcess, spawnServer } from '../../testing/process.ts'
import { freePort } from '../../testing/servers/postgres.ts'
import { client, startProvider, type TestProvider } from '../../testing/servers/provider.ts'
import { sessionsCommand } from './sessions.ts'

eachEngine((engine) => {
  let store: TestStore
  let provider: TestProvider
  let server: ServerProcess
  beforeAll(async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    provider = await startProvider(`${url}/login/callback`)
    store = await makeStore(engine)
    server = await spawnServer(store, [
      `--port=${port}`,
      '--auth=oidc',
      '--admins=service-7',
      `--url=${url}`,
      `--oidc-issuer=${provider.issuer}`,
      `--oidc-audience=${client.audience}`,
      `--oidc-client-id=${client.id}`,
      `--oidc-client-secret=${client.secret}`,
    ])
  })
  afterAll(async () => {
    await server.end('SIGTERM')
    await provider.close()
    store.remove()
  })

  const sessions = (...args: string[]) => runCommand(['sessions', ...args, ...store.flags])
  async function signIn(): Promise<Record<string, string>> {
    const jar = new CookieJar()
    await jar.follow(`${server.url}/login`, (url) => url.pathname === '/')
    return { cookie: `mainline=${jar.find(server.url, 'mainline')?.value}` }
  }
  const status = async (cookie: Record<string, string>) =>
    (await call(server.url, 'POST', '/biz/search/0', {}, cookie)).status

  it('lists sessions and ends them beside a running server, which refuses the next request', async () => {
    const [one, two, three] = [await signIn(), await signIn(), await signIn()]
    expect([await status(one), await status(two), await status(three)]).toEqual([200, 200, 200])
    const { code, output } = await sessions('list')
    const time = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}'
    expect(output).toMatch(/^ID +USER +ACCOUNT +SIGNED IN +ENDS\n/)
    const rows = [...output.matchAll(new RegExp(`^([0-9a-f]{12}) +amy\\.name +0 +${time} +${time}$`, 'gm'))]
    expect([code, rows.length]).toEqual([0, 3])
    for (const { cookie = '' } of [one, two, three]) expect(output).not.toContain(cookie.slice(9, 29))

    expect(await sessions('end', rows[0]?.[1] ?? '')).toEqual({
      code: 0,
      output: `Session ${rows[0]?.[1]} of amy.name has ended.\n`,
    })
    expect([await status(one), await status(two), await status(three)]).toEqual([401, 200, 200])
    expect((await sessions('end', '--user', 'amy.name')).output.split('\n')).toHaveLength(3)
    expect([await status(two), await status(three)]).toEqual([401, 401])

    const { data } = await call<{ info: AuditRow[] }>(
      server.url,
      'POST',
      '/audit/search',
      { condition: { op_target: 'privilege' } },
      bearing(await provider.sign()),
    )
    expect(data.info.map((row) => row.op_desc)).toEqual(['end session', 'end session', 'end session'])
    expect(data.info[0]).toMatchObject({
      operator: expect.stringContaining('(command line)'),
      content: { pre_data: { user_name: 'amy.name' } },
    })
  })

  it.each([
    [['end'], 2, 'Which ones?'],
    [['end', 'x'], 2, 'as the list shows it'],
    [['end', 'abcdefabcdef', '--user', 'amy'], 2, 'Which ones?'],
    [['end', '0123456789ab'], 1, 'There is no such session'],
    [['end', '--user', 'stranger'], 1, 'There is no such session'],
    [['stop'], 2, "Say 'mainline sessions list' or 'end'"],
  ])('says what is wrong: %j', async (args, exitCode, message) => {
    const error = await sessionsCommand([...args, ...store.flags]).catch((error: unknown) => error)
    expect(refusalBehind(error)).toMatchObject({ exitCode, message: expect.stringContaining(message) })
  })
})
