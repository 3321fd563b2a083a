import { expect, it } from 'vitest'
import { describeConfig, readConfig } from './config.ts'
import { refuseIncompleteAuth, refuseOpenToOthers } from './settings/combinations.ts'
import { isLoopback } from './settings/formats.ts'

it('flags override the environment, and the environment overrides the defaults', () => {
  expect(readConfig([], {}).port).toBe(8080)
  expect(readConfig([], { PORT: '9000' }).port).toBe(9000)
  expect(readConfig(['--port', '9001'], { PORT: '9000' }).port).toBe(9001)
  expect(readConfig(['--demo'], {}).demo).toBe(true)
  expect(readConfig([], { MAINLINE_DEMO: 'yes', MAINLINE_ADMINS: 'amy, ben' })).toMatchObject({
    demo: true,
    admins: ['amy', 'ben'],
  })
})

it.each([
  ['PORT', '70000', "PORT is '70000': it must be an integer from 0 to 65535."],
  ['MAINLINE_AUTH', 'magic', "MAINLINE_AUTH is 'magic': it must be one of open, token, proxy, oidc."],
  ['MAINLINE_DEMO', 'maybe', "MAINLINE_DEMO is 'maybe': it must be true or false."],
  ['DATABASE_URL', 'mongodb://x', 'DATABASE_URL must start with postgres://.'],
  ['MAINLINE_PROXIES', '10.0.0.1,proxy', 'it must be a comma list of networks such as 10.0.0.0/8.'],
  ['MAINLINE_OIDC_ISSUER', 'http://idp.example.org', 'it must start with https://.'],
  ['MAINLINE_OIDC_ISSUER', 'idp', 'it must start with https://.'],
  ['MAINLINE_URL', 'https://example.org/cmdb', 'it must be a URL without a path'],
  ['MAINLINE_URL', 'ftp://example.org', 'it must be a URL without a path'],
  ['MAINLINE_DATA_DIR', '', "MAINLINE_DATA_DIR is '': it must not be empty."],
  ['MAINLINE_ADMINS', ' , ', 'it must name at least one user.'],
])('refuses %s=%s with a sentence', (name, value, sentence) => {
  expect(() => readConfig([], { [name]: value })).toThrow(sentence)
})

it('shows every setting with its flag, its variable and its default', () => {
  const help = describeConfig()
  for (const word of ['--port', 'PORT', '8080', 'MAINLINE_DATA_DIR', 'DATABASE_URL', 'LOG_LEVEL'])
    expect(help).toContain(word)
})

it('open identity is allowed on loopback only', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', '::1', '[::1]', 'localhost']) expect(isLoopback(host)).toBe(true)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.org', '127.0.0.1.example.org']) {
    expect(isLoopback(host)).toBe(false)
    expect(() => refuseOpenToOthers({ auth: 'open', host })).toThrow('would admit every caller')
  }
})

it('any address is allowed with an authentication mode', () => {
  for (const auth of ['token', 'proxy', 'oidc'] as const) refuseOpenToOthers({ auth, host: '0.0.0.0' })
})

const oidc = ['--auth=oidc', '--oidc-issuer=https://idp.example.org']
it.each([
  [['--auth=proxy'], 'MAINLINE_AUTH=proxy needs MAINLINE_PROXIES'],
  [['--auth=oidc'], 'MAINLINE_AUTH=oidc needs MAINLINE_OIDC_ISSUER'],
  [oidc, 'needs MAINLINE_OIDC_AUDIENCE for tokens of programs, MAINLINE_OIDC_CLIENT_ID for browsers, or both'],
  [[...oidc, '--oidc-client-id=us'], 'needs MAINLINE_URL'],
  [[...oidc, '--oidc-audience=us', '--oidc-user-claim=,'], 'needs MAINLINE_OIDC_USER_CLAIM'],
])('does not start with %j', (flags, sentence) => {
  expect(() => refuseIncompleteAuth(readConfig(flags, {}))).toThrow(sentence)
})

it('starts with the required settings of each authentication mode', () => {
  const enough = [
    [],
    ['--auth=token'],
    ['--auth=proxy', '--proxies=10.0.0.0/8'],
    [...oidc, '--oidc-audience=us'],
    [...oidc, '--oidc-client-id=us', '--url=https://cmdb.example.org/'],
    ['--auth=oidc', '--oidc-issuer=http://127.0.0.1:9000/realm', '--oidc-audience=us'],
  ]
  for (const flags of enough) refuseIncompleteAuth(readConfig(flags, {}))
})
