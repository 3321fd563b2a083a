import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { entry } from '../testing/process.ts'

const run = (args: readonly string[], env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', ...env },
    timeout: 60_000,
  })
  return { status, output: stdout + stderr }
}

const closed = '127.0.0.1:1'

/** Possible typing errors, and the resulting messages. */
it.each<[what: string, url: string, said: RegExp]>([
  ['the scheme', `postgers://u:hidden@${closed}/main`, /DATABASE_URL must start with postgres:/],
  ['the slashes', `postgres:/u:hidden@${closed}/main`, /DATABASE_URL must start with postgres:/],
  ['no scheme', `u:hidden@${closed}/main`, /DATABASE_URL must start with postgres:/],
  [
    'a slash in the password',
    `postgres://u:hid/hidden@${closed}/main`,
    /DATABASE_URL must have the characters .* percent-encoded/,
  ],
  [
    'an @ in the password',
    `postgres://u:x@hidden@${closed}/main`,
    /DATABASE_URL must have the characters .* percent-encoded/,
  ],
  [
    'a % in the password',
    `postgres://u:%hidden@${closed}/main`,
    /DATABASE_URL must have the characters .* percent-encoded/,
  ],
  ['the port', 'postgres://u:hidden@127.0.0.1:1x/main', /DATABASE_URL must be such as postgres:/],
  ['one of several hosts', `postgres://u:hidden@${closed},b:99999/main`, /DATABASE_URL must be such as postgres:/],
  ['target_session_attrs', `postgres://u:hidden@${closed}/main?target_session_attrs=x`, /target_session_attrs/],
  ['nothing: the database does not answer', `postgres://u:hidden@${closed}/main`, /127\.0\.0\.1:1/],
  ['nothing: none of several answers', `postgres://u:hidden@${closed},127.0.0.1:2/main`, /127\.0\.0\.1/],
])('no command prints the password of DATABASE_URL; the mistake is in %s', (_, DATABASE_URL, said) => {
  for (const command of [
    ['serve', '--port=0'],
    ['token', 'list'],
  ]) {
    const { status, output } = run(command, { DATABASE_URL })
    expect(output).toMatch(said)
    expect(output).not.toContain('hidden')
    expect(status).not.toBe(0)
  }
})

it('help shows no password of DATABASE_URL', () => {
  expect(run(['serve', '--help'], { DATABASE_URL: `postgres://u:hidden@${closed}/main` }).output).not.toContain(
    'hidden',
  )
})

it.each([
  [['serve', 'postgres://u:hidden@db/main']],
  [['postgres://u:hidden@db/main']],
  [['serve', '--database-urll=postgres://u:hidden@db/main']],
  [['serve', '--database-url', 'postgers://u:hidden@db/main']],
  [['move', '--from=sqlite', '--to=mysql://u:hidden@db/main']],
  [['move', '--from=sqlite', '--to=postgres://u:hid/hidden@db/main']],
])('no command repeats a password that it was given as an argument: %j', (args) => {
  const { status, output } = run(args)
  expect([status, output.includes('hidden')]).toEqual([2, false])
})
