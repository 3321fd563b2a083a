import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Network = readonly [first: Address, bits: number]

/** A comma list of networks such as `10.0.0.0/8, fd00::/8`; a lone address is a network of one. */
export function readNetworks(text: string): Network[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
    .map((each) => {
      const address = each.split('/')[0] as string
      const dotted = address.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(address)
      if (!dotted || !(ipaddr.isValid(each) || ipaddr.isValidCIDR(each))) throw new Error(each)
      if (each.includes('/')) return ipaddr.parseCIDR(each)
      const one = ipaddr.parse(each)
      return [one, one.kind() === 'ipv4' ? 32 : 128]
    })
}

const anywhereLocal = new Set<string>(['unspecified', 'broadcast', 'multicast', 'linkLocal'])
/** Where clouds tell a machine its credentials; the usual 169.254.169.254 is link-local. */
const metadata = readNetworks('100.100.100.200, 168.63.129.16, fd00:ec2::254')

export interface AddressRules {
  /** Whether this machine itself may be called. */
  readonly loopback: boolean
  readonly allow: readonly Network[]
  readonly deny: readonly Network[]
}

/** Whether callbacks may go to an address. The narrowest listed network that holds it decides; some are never allowed. */
export function isAllowed(text: string, rules: AddressRules): boolean {
  return meanings(ipaddr.parse(text)).every((address) => {
    if (anywhereLocal.has(address.range()) || metadata.some((network) => holds(network, address))) return false
    const allowed = narrowest(rules.allow, address)
    const denied = narrowest(rules.deny, address)
    if (allowed !== denied) return allowed > denied
    return denied < 0 && (rules.loopback || address.range() !== 'loopback')
  })
}

const holds = ([first, bits]: Network, address: Address) =>
  first.kind() === address.kind() && address.match([first, bits])

/** -1 when none holds it. */
const narrowest = (networks: readonly Network[], address: Address) =>
  Math.max(-1, ...networks.filter((network) => holds(network, address)).map(([, bits]) => bits))

/** The address itself, and the IPv4 address that a gateway or the system would make of it. */
function meanings(address: Address): Address[] {
  if (address.kind() === 'ipv4') return [address]
  const inner = embedded(address as ipaddr.IPv6)
  if (!inner) return [address]
  // The system takes a mapped address for the IPv4 address itself; everything else is also an address of its own.
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
      // ::a.b.c.d, long out of use; :: and ::1 are nobody's IPv4 address.
      const compatible = seventh !== 0 && address.parts.slice(0, 6).every((part) => part === 0)
      return compatible ? ofGroups(seventh, eighth) : undefined
    }
  }
}

const ofGroups = (high: number, low: number) => new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255])
