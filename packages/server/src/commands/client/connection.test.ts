import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { clientCommands } from './catalogue.ts'
import { whereTo } from './connection.ts'
import { profilesFile, readProfiles, writeProfiles } from './profiles.ts'
import { readGiven } from './usage.ts'

const home = mkdtempSync(join(tmpdir(), 'mainline-profiles-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const env = { XDG_CONFIG_HOME: home }
const kept = {
  current: 'live',
  profiles: {
    live: { server: 'https://live', token: 'of-live', account: 'far' },
    test: { server: 'https://test' },
  },
}
const given = (...args: string[]) => readGiven('get', clientCommands.get as never, args)

it.each<[string[], Record<string, string>, object]>([
  [[], {}, { server: 'https://live', token: 'of-live', account: 'far' }],
  [['--profile', 'test'], {}, { server: 'https://test' }],
  [[], { MAINLINE_PROFILE: 'test' }, { server: 'https://test' }],
  [
    ['--profile', 'live'],
    { MAINLINE_PROFILE: 'test', MAINLINE_SERVER: 'http://env' },
    { server: 'https://live', token: 'of-live', account: 'far' },
  ],
  // A token goes nowhere but to the server it was kept for.
  [['--server', 'http://flag'], {}, { server: 'http://flag' }],
  [[], { MAINLINE_SERVER: 'http://env/' }, { server: 'http://env' }],
  [[], { MAINLINE_SERVER: 'http://env', MAINLINE_TOKEN: 'of-env' }, { server: 'http://env', token: 'of-env' }],
  [
    ['--server', 'http://flag', '--token', 'of-flag'],
    { MAINLINE_TOKEN: 'of-env' },
    { server: 'http://flag', token: 'of-flag' },
  ],
  // What was asked for by name is meant; otherwise the environment is nearer than a file.
  [['--profile', 'live'], { MAINLINE_TOKEN: 'of-env' }, { server: 'https://live', token: 'of-live', account: 'far' }],
  [
    [],
    { MAINLINE_TOKEN: 'of-env', MAINLINE_USER: 'amy' },
    { server: 'https://live', token: 'of-env', account: 'far', user: 'amy' },
  ],
  [['--account', '0'], { MAINLINE_ACCOUNT: 'near' }, { server: 'https://live', token: 'of-live', account: '0' }],
  [[], { MAINLINE_SERVER: '', MAINLINE_PROFILE: '' }, { server: 'https://live', token: 'of-live', account: 'far' }],
])('%j with %j asks the right server', (args, set, expected) => {
  writeProfiles(env, kept)
  expect(whereTo(given(...args), { ...env, ...set })).toEqual(expected)
})

it('asks this machine where nothing is said', () => {
  expect(whereTo(given(), { HOME: join(home, 'nobody') })).toEqual({ server: 'http://127.0.0.1:8080' })
})

it.each<[string[], Record<string, string>, string]>([
  [['--server', 'cmdb'], {}, "The server is 'cmdb': it must be an address such as https://cmdb.example.org."],
  [['--server', 'ftp://x'], {}, 'it must be an address'],
  [['--server', 'http://me:word@x'], {}, 'it must be an address'],
  [['--server', 'http://x', '--profile', 'live'], {}, 'leave one out'],
  [['--profile', 'lve'], {}, "There is no profile 'lve'. Did you mean live"],
  [['--profile', '__proto__'], {}, "There is no profile '__proto__'."],
  [['--token', 'a b'], {}, 'The token holds characters that no token has.'],
  [[], { MAINLINE_TOKEN: '中文' }, 'The token holds characters'],
])('refuses %j with %j', (args, set, sentence) => {
  writeProfiles(env, kept)
  expect(() => whereTo(given(...args), { ...env, ...set })).toThrow(sentence)
})

it('keeps profiles where only their owner can read them, and uses no file that others can', () => {
  writeProfiles(env, kept)
  const file = profilesFile(env)
  expect(file).toBe(join(home, 'mainline/profiles.json'))
  expect([statSync(dirname(file)).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
  expect(readProfiles(env)).toEqual(kept)
  expect(profilesFile({ XDG_CONFIG_HOME: 'relative', HOME: '/home/amy' })).toBe(
    '/home/amy/.config/mainline/profiles.json',
  )

  chmodSync(file, 0o640)
  expect(() => readProfiles(env)).toThrow(`chmod 600 '${file}'`)
  // Whatever it was, what is written is closed again.
  writeProfiles(env, kept)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  for (const text of ['{', '[]', '{"profiles":{"a":{}}}', '{"profiles":{"a":{"server":"nowhere"}}}', 'null']) {
    writeFileSync(file, text)
    expect(() => readProfiles(env), text).toThrow(`${file} is not what 'mainline profile' wrote`)
  }
  expect(readFileSync(file, 'utf8')).toBe('null')
})
