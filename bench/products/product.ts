import type { Child } from '../child.ts'

/** The requests that are sent to every measured product. */
export const works = {
  list: 'filtered list of 20 hosts of a set, with the count',
  search: 'list of 20 hosts of the whole estate by two attributes, with the count',
  detail: 'one host by its id',
  create: 'one node created, with its audit record',
  update: 'one host updated, with its audit record',
  audit: 'newest 20 audit records',
  tree: 'tree of a business',
  bulk: '100 hosts created in one call',
} as const
export type WorkName = keyof typeof works

/** One kind of request. */
export interface Work {
  /** The bytes of the next request; names of created records must be unique. */
  next(): string
  /** Text that every successful response contains: a fast failure must not count as speed. */
  readonly mark: string
}

/** A product running on this machine. */
export interface Product {
  readonly name: string
  readonly port: number
  /** The requests that it supports; the others are left out of the table. */
  readonly works: Partial<Record<WorkName, Work>>
}

/** The same estate for all products. */
export interface Estate {
  readonly sets: number
  readonly modulesPerSet: number
  readonly hostsPerModule: number
}

/**
 * An adapter is a module that exports this as `adapt`: it creates the estate in the product at the address through the product's own API, and returns
 * how each kind of request is sent. Mainline's own is given a token.
 */
export type Adapter = (address: URL, estate: Estate, token?: string) => Promise<Product>

/** A product that was installed in a temporary folder and started for the bench. */
export interface Started extends Child {
  readonly address: URL
}

/** The modules of this folder that are named after a product export this as `start`, too. */
export type Start = (databaseUrl: string) => Promise<Started>

/** The nth address of the estate, or of what is created in addition to it. */
export const addressOf = (number: number): string => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
