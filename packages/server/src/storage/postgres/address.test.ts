import { expect, it } from 'vitest'
import { addressFault, readAddress } from './address.ts'

it('one host is one connection string with its parameters', () => {
  expect(readAddress('postgres://u:p@db:5433/main?sslmode=require')).toEqual({
    urls: ['postgres://u:p@db:5433/main?sslmode=require'],
    wantsPrimary: false,
    label: 'db:5433/main',
  })
})

it('several hosts are tried in order, and target_session_attrs is not sent to the server', () => {
  expect(readAddress('postgresql://u@a:1,b:2,[::1]:3/main?target_session_attrs=read-write&sslmode=require')).toEqual({
    urls: [
      'postgresql://u@a:1/main?sslmode=require',
      'postgresql://u@b:2/main?sslmode=require',
      'postgresql://u@[::1]:3/main?sslmode=require',
    ],
    wantsPrimary: true,
    label: 'a:1,b:2,[::1]:3/main',
  })
})

it('commas in a password do not separate hosts', () => {
  const { urls, label } = readAddress('postgres://u:a,b@one,two/main')
  expect(urls).toEqual(['postgres://u:a,b@one/main', 'postgres://u:a,b@two/main'])
  expect(label).not.toContain('a,b')
})

it.each(['standby', 'prefer-standby', 'read-only', 'nonsense', 'constructor'])(
  'target_session_attrs=%s is refused, since a service that writes cannot use it',
  (value) => {
    expect(() => readAddress(`postgres://a/main?target_session_attrs=${value}`)).toThrow(
      `target_session_attrs is '${value}'; use one of any, read-write, primary`,
    )
  },
)

it.each([
  'postgres://u:p@db:5433/main?sslmode=require',
  'postgresql://u:p%40%2F%3A@a:1,b:2,[::1]:3/main?target_session_attrs=primary',
  'postgres:///main?host=/var/run/postgresql',
  'postgres://%2Fvar%2Frun%2Fpostgresql/main',
  'postgres://localhost',
])('%s is an address', (url) => {
  expect(addressFault(url)).toBeUndefined()
})

it.each([
  ['another scheme', 'postgers://u:hidden@db/main', 'must start with postgres://'],
  ['one slash', 'postgres:/u:hidden@db/main', 'must start with postgres://'],
  ['a slash in the password', 'postgres://u:hid/den@db/main', 'percent-encoded'],
  ['an @ in the password', 'postgres://u:hid@den@db/main', 'percent-encoded'],
  ['a # in the password', 'postgres://u:hid#den@db/main', 'percent-encoded'],
  ['a % in the password', 'postgres://u:hid%den@db/main', 'percent-encoded'],
  ['a ? in the password', 'postgres://u:hid?den@db/main', 'must be such as postgres://host:5432/database'],
  ['a port that is none', 'postgres://u:hidden@db:54x/main', 'must be such as postgres://host:5432/database'],
  ['a bad host among several', 'postgres://u:hidden@a,b:99999/main', 'must be such as postgres://host:5432/database'],
])('reports the fault without quoting the address: %s', (_, url, fault) => {
  expect(addressFault(url)).toContain(fault)
  expect(addressFault(url)).not.toMatch(/hid|den/)
})
