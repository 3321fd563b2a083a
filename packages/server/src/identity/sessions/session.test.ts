import { expect, it } from 'vitest'
import { bearing, makeToken } from '../../testing/data/identities.ts'
import { startServer } from '../../testing/harness.ts'

const anonymous = { user: null, bk_supplier_account: null, administrator: false, read_only: false, confined: false }

it.each<[string[], string, unknown]>([
  [['--auth=token'], 'token', { way: 'token', url: '' }],
  [['--auth=proxy', '--proxies=10.0.0.1'], 'proxy', { way: 'none', url: '' }],
  [['--auth=oidc', '--oidc-issuer=https://idp.example', '--oidc-audience=us'], 'oidc', { way: 'none', url: '' }],
  [
    ['--auth=oidc', '--oidc-issuer=https://idp.example', '--oidc-client-id=us', '--url=https://us.example'],
    'oidc',
    { way: 'login', url: '/login' },
  ],
])('tells unidentified callers how to sign in, without counting that as a failure: %j', async (flags, auth, signIn) => {
  const server = await startServer('sqlite', { flags })
  const accounts = () => server.service.storage.read.selectFrom('account').select('name').execute()
  const before = await accounts()
  const zh = { HTTP_BLUEKING_LANGUAGE: 'zh-cn', HTTP_BK_SUPPLIER_ACCOUNT: 'new' }
  const answer = await server.call('GET', '/session', undefined, zh)
  expect(answer).toMatchObject({ status: 200, result: true, bk_error_code: 0 })
  expect(answer.data).toEqual({ ...anonymous, auth, language: 'zh-cn', sign_in: signIn })
  expect(await accounts()).toEqual(before)
  await server.close()
})

it('tells callers their identity', async () => {
  const open = await startServer('sqlite', { flags: ['--admins=amy'] })
  const asked = async (headers: Record<string, string>) => (await open.call('GET', '/session', undefined, headers)).data
  expect(await asked({ BK_User: 'amy' })).toMatchObject({ auth: 'open', user: 'amy', administrator: true })
  expect(await asked({ BK_User: 'bob' })).toMatchObject({ user: 'bob', administrator: false, sign_in: { way: 'none' } })
  expect(await asked({ HTTP_BK_SUPPLIER_ACCOUNT: 'far' })).toMatchObject({
    bk_supplier_account: 'far',
    confined: false,
  })
  await open.close()
})

it('distinguishes valid from invalid tokens, and throttles guesses here, too', async () => {
  const server = await startServer('sqlite', { flags: ['--auth=token'] })
  const ask = (token: string) => server.call('GET', '/session', undefined, bearing(token))
  const good = await makeToken(server, { user: 'amy', account: 'far', readOnly: true })
  expect((await ask(good)).data).toMatchObject({
    user: 'amy',
    bk_supplier_account: 'far',
    confined: true,
    read_only: true,
    administrator: false,
  })
  for (let tries = 0; tries < 11; tries++) expect((await ask(`guess-${tries}`)).data).toMatchObject({ user: null })
  // A failure is forgotten after a while, so that slow ones are throttled later.
  const throttled = { status: 429, bk_error_code: 1199429, data: null }
  await expect.poll(() => ask('guess'), { interval: 0 }).toMatchObject(throttled)
  expect((await ask(good)).status).toBe(200)
  await server.close()
})
