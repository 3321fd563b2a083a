import ipaddr from 'ipaddr.js'
import type { Network } from './outbound/address.ts'

/** An IPv4 address is the same one when a socket for both families writes it as an IPv6 address. */
export function isAmong(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const found = ipaddr.process(address)
  return networks.some(([network, bits]) => found.kind() === network.kind() && found.match(network, bits))
}

/** Where one caller's addresses end and another's begin: a whole /64 of IPv6 is one household. */
export function householdOf(address: string): string {
  // Asked for in every request: what is plainly IPv4 is not taken apart.
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const found = ipaddr.process(address)
  return found.kind() === 'ipv4' ? found.toString() : (found as ipaddr.IPv6).parts.slice(0, 4).join(':')
}
