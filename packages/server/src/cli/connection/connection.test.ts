import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readGiven } from '../arguments/usage.ts'
import { clientCommands } from '../catalogue.ts'
import { whereTo } from './connection.ts'
import { profilesFile, readProfiles, writeProfiles } from './profiles.ts'

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
  // A token is sent only to the server it was stored for.
  [['--server', 'http://flag'], {}, { server: 'http://flag' }],
  [[], { MAINLINE_SERVER: 'http://env/' }, { server: 'http://env' }],
  [[], { MAINLINE_SERVER: 'http://env', MAINLINE_TOKEN: 'of-env' }, { server: 'http://env', token: 'of-env' }],
  [
    ['--server', 'http://flag', '--token', 'of-flag'],
    { MAINLINE_TOKEN: 'of-env' },
    { server: 'http://flag', token: 'of-flag' },
  ],
  // Flags win over the environment, and the environment over a file.
  [['--profile', 'live'], { MAINLINE_TOKEN: 'of-env' }, { server: 'https://live', token: 'of-live', account: 'far' }],
  [
    [],
    { MAINLINE_TOKEN: 'of-env', MAINLINE_USER: 'amy' },
    { server: 'https://live', token: 'of-env', account: 'far', user: 'amy' },
  ],
  [['--account', '0'], { MAINLINE_ACCOUNT: 'near' }, { server: 'https://live', token: 'of-live', account: '0' }],
  [[], { MAINLINE_SERVER: '', MAINLINE_PROFILE: '' }, { server: 'https://live', token: 'of-live', account: 'far' }],
])('%j with %j uses the right server', (args, set, expected) => {
  writeProfiles(env, kept)
  expect(whereTo(given(...args), { ...env, ...set })).toEqual(expected)
})

it('uses this machine by default', () => {
  expect(whereTo(given(), { HOME: join(home, 'stranger') })).toEqual({ server: 'http://127.0.0.1:8080' })
})

it.each<[string[], Record<string, string>, string]>([
  [['--server', 'cmdb'], {}, "The server is 'cmdb': it must be a URL such as https://cmdb.example.org."],
  [['--server', 'ftp://x'], {}, 'it must be a URL'],
  [['--server', 'http://me:word@x'], {}, 'it must be a URL'],
  [['--server', 'http://x', '--profile', 'live'], {}, 'omit one of them'],
  [['--profile', 'lve'], {}, "There is no profile 'lve'. Did you mean live"],
  [['--profile', '__proto__'], {}, "There is no profile '__proto__'."],
  [['--token', 'a b'], {}, 'The token contains invalid characters.'],
  [[], { MAINLINE_TOKEN: '中文' }, 'The token contains invalid characters'],
])('refuses %j with %j', (args, set, sentence) => {
  writeProfiles(env, kept)
  expect(() => whereTo(given(...args), { ...env, ...set })).toThrow(sentence)
})

it('stores profiles readable by their owner only, and refuses a file that others can read', () => {
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
  // With any previous permissions, the written file is private.
  writeProfiles(env, kept)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  for (const text of ['{', '[]', '{"profiles":{"a":{}}}', '{"profiles":{"a":{"server":"nowhere"}}}', 'null']) {
    writeFileSync(file, text)
    expect(() => readProfiles(env), text).toThrow(`${file} is not a valid profile file`)
  }
  expect(readFileSync(file, 'utf8')).toBe('null')
})
