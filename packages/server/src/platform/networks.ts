import ipaddr from 'ipaddr.js'
import type { Network } from './outbound/address.ts'

/** An IPv4 address is the same one when a socket for both families writes it as an IPv6 address. */
export function isAmong(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const found = ipaddr.process(address)
  return networks.some(([network, bits]) => found.kind() === network.kind() && found.match(network, bits))
}

/**
 * Who stands at the far end of the proxies. Each proxy adds the address that it was called from to the right of the header;
 * what stands left of the first that is none of ours, anybody may have written.
 */
export function beyondProxies(peer: string, forwarded: string | undefined, proxies: readonly Network[]): string {
  if (forwarded === undefined || !isAmong(peer, proxies)) return peer
  const hops = forwarded.split(',').map((hop) => hop.trim())
  const far = hops.findLast((hop) => !isAmong(hop, proxies)) ?? hops[0]
  return far !== undefined && ipaddr.isValid(far) ? far : peer
}

/** Where one caller's addresses end and another's begin: a whole /64 of IPv6 is one household. */
export function householdOf(address: string): string {
  // Asked for in every request: what is plainly IPv4 is not taken apart.
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const found = ipaddr.process(address)
  return found.kind() === 'ipv4' ? found.toString() : (found as ipaddr.IPv6).parts.slice(0, 4).join(':')
}
