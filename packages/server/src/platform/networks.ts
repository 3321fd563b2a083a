import ipaddr from 'ipaddr.js'

export type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** `10.0.0.0/8`, or a single address. Undefined for anything else. */
export function networkOf(text: string): Network | undefined {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text)
    return [address, bits]
  }
  if (!ipaddr.isValid(text) || /^\d+(\.\d+){0,2}$/.test(text)) return undefined
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

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
