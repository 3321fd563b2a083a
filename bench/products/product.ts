/** What is done with every product that is measured. */
export const works = {
  list: 'filtered list of 20 hosts',
  detail: 'one host by its id',
  create: 'one node created, with its audit record',
  audit: 'newest 20 audit records',
  tree: 'tree of a business',
  bulk: '100 hosts created in one call',
} as const
export type WorkName = keyof typeof works

/** One kind of request. */
export interface Work {
  /** The bytes of the next request; what it creates must be new each time. */
  next(): string
  /** What every good answer contains: a fast failure must not pass for speed. */
  readonly mark: string
}

/** A product as it runs on this machine. */
export interface Product {
  readonly name: string
  readonly port: number
  /** What it can do; the rest is left out of the table. */
  readonly works: Partial<Record<WorkName, Work>>
}

/** The same estate for everybody. */
export interface Estate {
  readonly sets: number
  readonly modulesPerSet: number
  readonly hostsPerModule: number
}

/**
 * An adapter is a module that exports this as `adapt`: it fills the product that answers at the address with the estate,
 * through the product's own interface, and says how each work is asked for there.
 */
export type Adapter = (address: URL, estate: Estate) => Promise<Product>

/** The nth address of the estate, or of what is created on top of it. */
export const addressOf = (number: number): string => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
