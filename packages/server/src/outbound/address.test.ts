import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CallbackPolicy, isAllowed, readNetworks } from './address.ts'
import { createOutbound } from './outbound.ts'

const lists = (allow: string, deny: string, policy: CallbackPolicy = 'private') => ({
  policy,
  allow: readNetworks(allow),
  deny: readNetworks(deny),
})
const plain = lists('', '')
const open = lists('', '', 'any')

describe('special addresses', () => {
  it.each([
    ['link-local', '169.254.1.1'],
    ['cloud metadata', '169.254.169.254'],
    ['cloud metadata', '100.100.100.200'],
    ['cloud metadata', '168.63.129.16'],
    ['cloud metadata', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['unspecified', '0.0.0.0'],
    ['unspecified', '0.1.2.3'],
    ['unspecified', '::'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
  ])('%s are never allowed: %s', (_, address) => {
    expect(isAllowed(address, open)).toBe(false)
    expect(isAllowed(address, lists(`${address}, 0.0.0.0/0, ::/0`, '', 'any'))).toBe(false)
  })

  it.each(['127.0.0.1', '127.9.9.9', '::1'])(
    'loopback is allowed only by the policy any, or when listed: %s',
    (one) => {
      expect(isAllowed(one, plain)).toBe(false)
      expect(isAllowed(one, open)).toBe(true)
      expect(isAllowed(one, lists('127.0.0.0/8, ::1', ''))).toBe(true)
      expect(isAllowed(one, lists('', '127.0.0.0/8, ::/0', 'any'))).toBe(false)
    },
  )

  it.each(['10.1.2.3', '192.168.1.1', '100.64.0.1', '8.8.8.8', 'fd12::1', '2606:4700::1'])(
    'others are allowed: %s',
    (one) => {
      expect(isAllowed(one, plain)).toBe(true)
    },
  )
})

describe('the policy public', () => {
  const strict = lists('', '', 'public')
  const isPublic = (address: string) => isAllowed(address, strict)

  it.each([
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '127.0.0.1',
    '::1',
    'fd12::1',
    '::ffff:10.1.2.3',
    '64:ff9b::a01:203',
    '240.0.0.1',
  ])('refuses private networks: %s', (address) => {
    expect(isPublic(address)).toBe(false)
    expect(isAllowed(address, lists('0.0.0.0/0, ::/0', '', 'public'))).toBe(true)
  })

  it.each(['8.8.8.8', '2606:4700::1', '::ffff:8.8.8.8', '64:ff9b::808:808'])('allows the internet: %s', (address) => {
    expect(isPublic(address)).toBe(true)
    expect(isAllowed(address, lists('', '0.0.0.0/0, ::/0', 'public'))).toBe(false)
  })
})

describe('lists', () => {
  it('the longest matching prefix decides; with equal prefixes the address is denied', () => {
    const rules = lists('10.1.0.0/16, 192.0.2.7', '10.0.0.0/8, 10.1.2.0/24, 192.0.2.7, fd00::/8')
    const verdicts = ['10.9.9.9', '10.1.9.9', '10.1.2.9', '192.0.2.7', '192.0.2.8', 'fd00::1', 'fe00::1']
    expect(verdicts.map((one) => isAllowed(one, rules))).toEqual([false, true, false, false, true, false, true])
  })

  it.each(['10.0.0.0/33', 'example.com', '10.0.0', '1', '::/129', '10.0.0.1/', '300.1.1.1'])(
    'what is no network is refused: %s',
    (text) => {
      expect(() => readNetworks(text)).toThrow()
    },
  )
})

/** The notations of an IPv4 address in a URL. */
function spellings(octets: readonly number[]): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = octets
  const hex = (n: number) => n.toString(16)
  const high = hex(a * 256 + b)
  const low = hex(c * 256 + d)
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  return [
    octets.join('.'),
    `${octets.join('.')}.`,
    `${whole}`,
    `0x${hex(whole)}`,
    `0${whole.toString(8)}`,
    octets.map((octet) => `0${octet.toString(8)}`).join('.'),
    octets.map((octet) => `0x${hex(octet)}`).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `0x${hex(a)}.0${b.toString(8)}.${c * 256 + d}`,
    octets.map((octet) => String(octet).replace(/\d/g, (digit) => `%3${digit}`)).join('.'),
    octets.join('\u3002'),
    `${String(octets[0]).replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))}.${b}.${c}.${d}`,
    `[::ffff:${octets.join('.')}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::ffff:0:${high}:${low}]`,
    `[64:ff9b::${high}:${low}]`,
    `[64:ff9b::${octets.join('.')}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}:1::5]`,
    `[2001:0:1:2:3:4:${hex((a * 256 + b) ^ 0xffff)}:${hex((c * 256 + d) ^ 0xffff)}]`,
    ...(a * 256 + b === 0 ? [] : [`[::${octets.join('.')}]`]),
  ]
}

describe('an address inside a URL', () => {
  const outbound = createOutbound(plain)

  it.each([
    [[169, 254, 169, 254]],
    [[127, 0, 0, 1]],
    [[100, 100, 100, 200]],
    [[168, 63, 129, 16]],
    [[224, 0, 0, 251]],
    [[0, 0, 0, 0]],
  ])('is recognised in every notation: %s', (octets) => {
    for (const spelled of spellings(octets)) {
      for (const url of [`http://${spelled}/x`, `https://user:secret@${spelled}:8443/`, `${spelled}:80`]) {
        const refusal = expect.objectContaining({ code: 1199006, message: expect.stringContaining('callback_url') })
        expect(() => outbound.checkUrl(url), url).toThrow(refusal)
      }
    }
  })

  it('has the same result in every notation', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const strict = createOutbound(lists('', '10.0.0.0/8, 192.0.0.0/3'))
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
        const verdicts = spellings(octets).map((spelled) => {
          try {
            return Boolean(strict.checkUrl(`http://${spelled}/`))
          } catch {
            return false
          }
        })
        expect(new Set(verdicts)).toEqual(new Set([isAllowed(octets.join('.'), lists('', '10.0.0.0/8, 192.0.0.0/3'))]))
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['example.com/cb?x=1#part', 'http://example.com/cb?x=1'],
    ['localhost:8080/cb', 'http://localhost:8080/cb'],
    [' HTTPS://Example.COM ', 'https://example.com/'],
    ['http://user:pa%20ss@example.com/', 'http://user:pa%20ss@example.com/'],
  ])('has http as its default scheme: %s', (text, href) => {
    expect(outbound.checkUrl(text).href).toBe(href)
  })

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'http://',
    'http:///',
    '://x',
    'http://exa mple.com',
    'http://example.com:99999/',
    'http://a\nb.com/',
    'http://a\u0000b.com/',
    'http://%zz@example.com/',
    'http://[fe80::1%25eth0]/',
    `http://example.com/${'x'.repeat(2048)}`,
    '\ud800',
  ])('is refused if it is not a valid http(s) URL: %j', (text) => {
    expect(() => outbound.checkUrl(text)).toThrow(expect.objectContaining({ code: 1199006 }))
  })
})

it('no address of this machine is allowed unless the policy allows this machine', () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? [])
  expect(own.length).toBeGreaterThan(0)
  for (const address of own) expect([address, isAllowed(address, lists('', ''))]).toEqual([address, false])
})

it.each([
  '192.0.0.192',
  '::ffff:192.0.0.192',
  '64:ff9b::c000:c0',
  'fd20:ce::254',
  'fd20:ce:0:0:0:0:0:254',
  '169.254.169.254',
  '::ffff:169.254.169.254',
])('the metadata service at %s is never allowed', (address) => {
  expect(isAllowed(address, lists(`${address}`, '', 'any'))).toBe(false)
})
