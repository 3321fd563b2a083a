// Every operation that the contract declares, in the order of declaration. Not part of index.ts, which it reads.
import { type Endpoint, isEndpoint } from './endpoint.ts'
import * as contract from './index.ts'

export const endpoints: readonly Endpoint[] = Object.values<unknown>(contract)
  .flatMap((area) => (typeof area === 'object' ? Object.values<unknown>({ ...area }) : []))
  .filter(isEndpoint)
  .toSorted((one, other) => one.order - other.order)
