import ipaddr from 'ipaddr.js'
import { expect, it } from 'vitest'
import { Brake } from './brake.ts'

const from = (peer: string, forwarded?: string) => ({
  peer,
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
})
const wrong = async () => 'wrong' as const
const good = async () => 'amy' as const

function brakeAt(start = 1_000_000) {
  let now = start
  const brake = new Brake([], () => now)
  const guess = (peer = '10.0.0.1') =>
    brake.try(from(peer), `guess ${Math.random()}`, wrong).then(
      () => 'looked at',
      (error) => error.retryAfter,
    )
  const pass = (seconds: number) => {
    now += seconds * 1000
  }
  return { brake, guess, pass }
}

/** Bad credentials until the address has to wait. */
async function offend({ guess }: ReturnType<typeof brakeAt>, peer = '10.0.0.1') {
  for (let tries = 0; tries < 11; tries++) expect(await guess(peer)).toBe('looked at')
}

it('looks at ten bad credentials from an address, and then at fewer and fewer', async () => {
  const at = brakeAt()
  await offend(at)
  const waits: number[] = []
  for (let tries = 0; tries < 7; tries++) {
    const wait = await at.guess()
    waits.push(wait)
    at.pass(wait)
    expect(await at.guess()).toBe('looked at')
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30])
})

it('lets one try through at a time, however many come at once', async () => {
  const at = brakeAt()
  await offend(at)
  at.pass(60)
  const all = await Promise.all(Array.from({ length: 50 }, () => at.guess()))
  expect(all.filter((each) => each === 'looked at')).toHaveLength(1)
})

it('does not slow down credentials that have been good before from there, nor other addresses', async () => {
  const at = brakeAt()
  expect(await at.brake.try(from('10.0.0.1'), 'known', good)).toBe('amy')
  await offend(at)
  expect(await at.guess()).toBe(1)
  expect(await at.brake.try(from('10.0.0.1'), 'known', good)).toBe('amy')
  expect(await at.brake.try(from('10.0.0.2'), 'new', good)).toBe('amy')
  await expect(at.brake.try(from('10.0.0.1'), 'new', good)).rejects.toMatchObject({ status: 429, retryAfter: 1 })
  at.pass(1)
  for (const each of ['new', 'newer', 'newest']) expect(await at.brake.try(from('10.0.0.1'), each, good)).toBe('amy')
})

it('does not count what was good once', async () => {
  const at = brakeAt()
  for (let tries = 0; tries < 50; tries++) {
    expect(await at.brake.try(from('10.0.0.1'), 'old', async () => 'lapsed')).toBeUndefined()
  }
  expect(await at.guess()).toBe('looked at')
})

it('forgets an address that has kept quiet', async () => {
  const at = brakeAt()
  await offend(at)
  at.pass(601)
  await offend(at)
})

it('takes a household of IPv6 for one address, and an IPv4 address for itself however it is written', async () => {
  const at = brakeAt()
  for (let tries = 0; tries < 11; tries++) await at.guess(`2001:db8:1:2:${tries}::1`)
  expect(await at.guess('2001:db8:1:2:ffff::9')).toBe(1)
  expect(await at.guess('2001:db8:1:3::1')).toBe('looked at')
  for (let tries = 0; tries < 11; tries++) await at.guess(tries % 2 ? '10.9.9.9' : '::ffff:10.9.9.9')
  expect(await at.guess('10.9.9.9')).toBe(1)
})

it('remembers a bounded number of addresses', async () => {
  const at = brakeAt()
  await offend(at)
  for (let each = 0; each < 10_000; each++) await at.guess(`10.${(each >> 16) + 1}.${(each >> 8) & 255}.${each & 255}`)
  expect(await at.guess()).toBe('looked at')
})

it('tells callers behind a proxy that it knows apart, and believes no other', async () => {
  const proxies = [ipaddr.parseCIDR('10.9.0.0/24')]
  const brake = new Brake(proxies, () => 1_000_000)
  const tries = async (peer: string, forwarded: string, look: () => Promise<'amy' | 'wrong'> = wrong) =>
    brake.try(from(peer, forwarded), `guess ${Math.random()}`, look).then(
      (found) => found ?? 'looked at',
      () => 'must wait',
    )
  for (let n = 0; n < 11; n++) expect(await tries('10.9.0.1', `6.6.6.${n}, 1.1.1.1, 10.9.0.2`)).toBe('looked at')
  expect(await tries('10.9.0.1', '1.1.1.1')).toBe('must wait')
  expect(await tries('10.9.0.1', '2.2.2.2', good)).toBe('amy')
  // Whoever calls directly writes what they like.
  for (let n = 0; n < 11; n++) expect(await tries('3.3.3.3', `1.2.3.${n}`)).toBe('looked at')
  expect(await tries('3.3.3.3', '1.2.3.99')).toBe('must wait')
  // What is no address is the proxy's.
  for (let n = 0; n < 11; n++) expect(await tries('10.9.0.7', 'unknown')).toBe('looked at')
  expect(await tries('10.9.0.7', '')).toBe('must wait')
})
