import { expect, it } from 'vitest'
import { readAddress } from './address.ts'

it('one host is one connection string, its parameters kept', () => {
  expect(readAddress('postgres://u:p@db:5433/main?sslmode=require')).toEqual({
    urls: ['postgres://u:p@db:5433/main?sslmode=require'],
    wantsPrimary: false,
    label: 'db:5433/main',
  })
})

it('several hosts are tried in their order, and target_session_attrs is not sent to the server', () => {
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

it('a password with commas belongs to no host', () => {
  const { urls, label } = readAddress('postgres://u:a,b@one,two/main')
  expect(urls).toEqual(['postgres://u:a,b@one/main', 'postgres://u:a,b@two/main'])
  expect(label).not.toContain('a,b')
})

it.each(['standby', 'prefer-standby', 'read-only', 'nonsense'])(
  'target_session_attrs=%s is refused, since a service that writes cannot use it',
  (value) => {
    expect(() => readAddress(`postgres://a/main?target_session_attrs=${value}`)).toThrow(
      `target_session_attrs is '${value}'; use one of any, read-write, primary`,
    )
  },
)
