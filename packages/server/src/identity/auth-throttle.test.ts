import ipaddr from 'ipaddr.js'
import { expect, it } from 'vitest'
import { AuthThrottle } from './auth-throttle.ts'

const from = (peer: string, forwarded?: string) => ({
  peer,
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
})
const wrong = async () => 'wrong' as const
const good = async () => 'amy' as const

function throttleAt(start = 1_000_000) {
  let now = start
  const throttle = new AuthThrottle([], () => now)
  const guess = (peer = '10.0.0.1') =>
    throttle.try(from(peer), wrong).then(
      () => 'looked at',
      (error) => error.retryAfter,
    )
  const pass = (seconds: number) => {
    now += seconds * 1000
  }
  return { throttle, guess, pass }
}

/** Fails until the address is throttled. */
async function offend({ guess }: ReturnType<typeof throttleAt>, peer = '10.0.0.1') {
  for (let tries = 0; tries < 11; tries++) expect(await guess(peer)).toBe('looked at')
}

it('answers ten failures of an address, then throttles with growing pauses', async () => {
  const at = throttleAt()
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

it('answers one failure at a time, however many arrive concurrently', async () => {
  const at = throttleAt()
  await offend(at)
  at.pass(60)
  const all = await Promise.all(Array.from({ length: 50 }, () => at.guess()))
  expect(all.filter((each) => each === 'looked at')).toHaveLength(1)
})

it('never delays a valid credential, whatever else came from its address', async () => {
  const at = throttleAt()
  await offend(at)
  expect(await at.guess()).toBe(1)
  for (let tries = 0; tries < 40; tries++) expect(await at.throttle.try(from('10.0.0.1'), good)).toBe('amy')
  // Nor does a valid one reset the throttle for guesses.
  expect(await at.guess()).toBe(1)
  expect(await at.guess('10.0.0.2')).toBe('looked at')
})

it('does not count credentials that were valid once', async () => {
  const at = throttleAt()
  for (let tries = 0; tries < 50; tries++) {
    expect(await at.throttle.try(from('10.0.0.1'), async () => 'lapsed')).toBeUndefined()
  }
  expect(await at.guess()).toBe('looked at')
})

it('resets an address after a quiet period', async () => {
  const at = throttleAt()
  await offend(at)
  at.pass(601)
  await offend(at)
})

it('an IPv6 /64 counts as one address, and an IPv4 address as itself in every notation', async () => {
  const at = throttleAt()
  for (let tries = 0; tries < 11; tries++) await at.guess(`2001:db8:1:2:${tries}::1`)
  expect(await at.guess('2001:db8:1:2:ffff::9')).toBe(1)
  expect(await at.guess('2001:db8:1:3::1')).toBe('looked at')
  for (let tries = 0; tries < 11; tries++) await at.guess(tries % 2 ? '10.9.9.9' : '::ffff:10.9.9.9')
  expect(await at.guess('10.9.9.9')).toBe(1)
})

it('tracks a bounded number of addresses', async () => {
  const at = throttleAt()
  await offend(at)
  for (let each = 0; each < 10_000; each++) await at.guess(`10.${(each >> 16) + 1}.${(each >> 8) & 255}.${each & 255}`)
  expect(await at.guess()).toBe('looked at')
})

it('distinguishes clients behind a trusted proxy, and does not trust other proxies', async () => {
  const proxies = [ipaddr.parseCIDR('10.9.0.0/24')]
  const throttle = new AuthThrottle(proxies, () => 1_000_000)
  const tries = async (peer: string, forwarded: string, look: () => Promise<'amy' | 'wrong'> = wrong) =>
    throttle.try(from(peer, forwarded), look).then(
      (found) => found ?? 'looked at',
      () => 'must wait',
    )
  for (let n = 0; n < 11; n++) expect(await tries('10.9.0.1', `6.6.6.${n}, 1.1.1.1, 10.9.0.2`)).toBe('looked at')
  expect(await tries('10.9.0.1', '1.1.1.1')).toBe('must wait')
  expect(await tries('10.9.0.1', '2.2.2.2', good)).toBe('amy')
  // A direct client can forge the header.
  for (let n = 0; n < 11; n++) expect(await tries('3.3.3.3', `1.2.3.${n}`)).toBe('looked at')
  expect(await tries('3.3.3.3', '1.2.3.99')).toBe('must wait')
  // An invalid address counts as the proxy's.
  for (let n = 0; n < 11; n++) expect(await tries('10.9.0.7', 'unknown')).toBe('looked at')
  expect(await tries('10.9.0.7', '')).toBe('must wait')
})
