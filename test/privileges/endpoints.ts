import type { Endpoint } from '@mainline/contract'
import * as contract from '@mainline/contract'

/** Every operation that the contract declares, wherever. */
export const endpoints = Object.values(contract).flatMap((part: unknown) =>
  typeof part === 'object' && part !== null
    ? Object.values(part).filter((value): value is Endpoint => typeof value === 'object' && 'allow' in value)
    : [],
)
