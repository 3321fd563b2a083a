// The only outbound HTTP client. Allowed destinations are decided by IP address when the connection is made (SSRF protection).
export { type Network, readNetworks } from './address.ts'
export type { OutboundAnswer, Posting } from './exchange.ts'
export { Forbidden, Unreachable, type UnreachableKind } from './failure.ts'
export { createOutbound, type Outbound, type OutboundOptions } from './outbound.ts'
