// A typed client made from the contract arrives with its own issue; until then the contract's types are what it offers.
export type { Envelope } from '@mainline/contract'
