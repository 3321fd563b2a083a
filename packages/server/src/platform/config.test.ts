import { expect, it } from 'vitest'
import { describeConfig, isLoopback, readConfig, refuseOpenToOthers } from './config.ts'

it('takes flags before the environment, and the environment before the defaults', () => {
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
  ['PORT', '70000', "PORT is '70000': it must be a whole number from 0 to 65535."],
  ['MAINLINE_AUTH', 'magic', "MAINLINE_AUTH is 'magic': it must be one of open, token, proxy, oidc."],
  ['MAINLINE_DEMO', 'maybe', "MAINLINE_DEMO is 'maybe': it must be true or false."],
  ['DATABASE_URL', 'mongodb://x', "DATABASE_URL is 'mongodb://x': it must start with postgres://."],
  ['MAINLINE_DATA_DIR', '', "MAINLINE_DATA_DIR is '': it must not be empty."],
])('refuses %s=%s with a sentence', (name, value, sentence) => {
  expect(() => readConfig([], { [name]: value })).toThrow(sentence)
})

it('shows every setting with its flag, its variable and its default', () => {
  const help = describeConfig()
  for (const word of ['--port', 'PORT', '8080', 'MAINLINE_DATA_DIR', 'DATABASE_URL', 'LOG_LEVEL'])
    expect(help).toContain(word)
})

it('serves open identity to this machine only', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', '::1', '[::1]', 'localhost']) expect(isLoopback(host)).toBe(true)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.org', '127.0.0.1.example.org']) {
    expect(isLoopback(host)).toBe(false)
    expect(() => refuseOpenToOthers({ auth: 'open', host })).toThrow('would let everyone in')
  }
})
