// The one client that may leave the house: where it may go is decided by address, when the connection is made.
export { type Network, readNetworks } from './address.ts'
export type { OutboundAnswer, Posting } from './exchange.ts'
export { Forbidden, Unreachable, type UnreachableKind } from './failure.ts'
export { createOutbound, type Outbound, type OutboundOptions } from './outbound.ts'
