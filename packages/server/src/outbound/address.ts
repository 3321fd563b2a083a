import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { present } from '../common/present.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Network = readonly [first: Address, bits: number]

/** A comma list of networks such as `10.0.0.0/8, fd00::/8`; an address without a prefix is a single host. */
export function readNetworks(text: string): Network[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
    .map((each) => {
      const address = present(each.split('/')[0])
      const dotted = address.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(address)
      if (!dotted || !(ipaddr.isValid(each) || ipaddr.isValidCIDR(each))) throw new Error(each)
      if (each.includes('/')) return ipaddr.parseCIDR(each)
      const one = ipaddr.parse(each)
      return [one, one.kind() === 'ipv4' ? 32 : 128]
    })
}

const anywhereLocal = new Set<string>(['unspecified', 'broadcast', 'multicast', 'linkLocal'])
/** Metadata services of clouds, which serve credentials; the usual 169.254.169.254 is link-local. */
const metadata = readNetworks('100.100.100.200, 168.63.129.16, 192.0.0.192, fd00:ec2::254, fd20:ce::254')

/**
 * Allowed addresses of callbacks. `public`: globally routable ones only; `private`: also private networks; `any`: also this machine.
 * Link-local, multicast and metadata addresses are never allowed.
 */
export const callbackPolicies = ['public', 'private', 'any'] as const
export type CallbackPolicy = (typeof callbackPolicies)[number]

export interface AddressRules {
  readonly policy: CallbackPolicy
  readonly allow: readonly Network[]
  readonly deny: readonly Network[]
}

/** Whether callbacks may go to an address. The longest matching prefix of the listed networks decides; some are never allowed. */
export function isAllowed(text: string, rules: AddressRules): boolean {
  return meanings(ipaddr.parse(text)).every((address) => {
    if (anywhereLocal.has(address.range()) || metadata.some((network) => holds(network, address))) return false
    const allowed = narrowest(rules.allow, address)
    const denied = narrowest(rules.deny, address)
    if (allowed !== denied) return allowed > denied
    return denied < 0 && permits(rules.policy, address)
  })
}

/** NAT64 addresses (rfc6052) are public for IPv6-only networks; the embedded IPv4 address is checked as well. */
const publicRanges = new Set<string>(['unicast', 'rfc6052'])

function permits(policy: CallbackPolicy, address: Address): boolean {
  if (policy === 'any') return true
  if (address.range() === 'loopback' || isOwn(address)) return false
  return policy === 'private' || publicRanges.has(address.range())
}

/** Whether this is an address of this machine; services there may trust it like 127.0.0.1. */
function isOwn(address: Address): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return own.some((each) => ipaddr.process(each.address).toNormalizedString() === address.toNormalizedString())
}

const holds = ([first, bits]: Network, address: Address) =>
  first.kind() === address.kind() && address.match([first, bits])

/** The longest matching prefix; -1 if none matches. */
const narrowest = (networks: readonly Network[], address: Address) =>
  Math.max(-1, ...networks.filter((network) => holds(network, address)).map(([, bits]) => bits))

/** The address, and the IPv4 address that a gateway or the operating system would translate it to. */
function meanings(address: Address): Address[] {
  if (!(address instanceof ipaddr.IPv6)) return [address]
  const inner = embedded(address)
  if (!inner) return [address]
  // The operating system connects mapped addresses to the IPv4 address; other forms are also IPv6 addresses themselves.
  return address.range() === ('ipv4Mapped' as string) ? [inner] : [address, inner]
}

function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const [, second = 0, third = 0, , , , seventh = 0, eighth = 0] = address.parts
  switch (address.range()) {
    case 'ipv4Mapped':
    case 'rfc6145':
    case 'rfc6052':
      return ofGroups(seventh, eighth)
    case '6to4':
      return ofGroups(second, third)
    case 'teredo':
      return ofGroups(seventh ^ 0xffff, eighth ^ 0xffff)
    default: {
      // IPv4-compatible ::a.b.c.d (deprecated); :: and ::1 are not among them.
      const compatible = seventh !== 0 && address.parts.slice(0, 6).every((part) => part === 0)
      return compatible ? ofGroups(seventh, eighth) : undefined
    }
  }
}

const ofGroups = (high: number, low: number) => new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255])
