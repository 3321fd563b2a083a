import ipaddr from 'ipaddr.js'
import type { Network } from '../outbound/address.ts'

/** Treats an IPv4-mapped IPv6 address, as dual-stack sockets report it, as the IPv4 address. */
export function isAmong(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const found = ipaddr.process(address)
  return networks.some(([network, bits]) => found.kind() === network.kind() && found.match(network, bits))
}

/**
 * The client address behind trusted proxies. Each proxy appends the address that called it, so `X-Forwarded-For` is read from the right;
 * everything left of the first untrusted address may be forged.
 */
export function beyondProxies(peer: string, forwarded: string | undefined, proxies: readonly Network[]): string {
  if (forwarded === undefined || !isAmong(peer, proxies)) return peer
  const hops = forwarded.split(',').map((hop) => hop.trim())
  const far = hops.findLast((hop) => !isAmong(hop, proxies)) ?? hops[0]
  return far !== undefined && ipaddr.isValid(far) ? far : peer
}

/** The network that is treated as one client: an IPv4 address, or an IPv6 /64. */
export function clientNetworkOf(address: string): string {
  // Runs for every request, so plain IPv4 is not parsed.
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const found = ipaddr.process(address)
  return found instanceof ipaddr.IPv6 ? found.parts.slice(0, 4).join(':') : found.toString()
}
