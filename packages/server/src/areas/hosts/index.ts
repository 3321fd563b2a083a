// Hosts: what they are, where they stand, how they move and how they are found.
export { readAddresses } from './address.ts'
export { fieldsToShow } from './answer.ts'
export { type Editor, updateHosts } from './change.ts'
export { explaining } from './explain.ts'
export { hostFields } from './fields.ts'
export { hostIdentity, hostsNamedBy } from './identity.ts'
export { settleHosts } from './insert.ts'
export { type Neighbours, neighboursOf } from './neighbours.ts'
export { refuseMixed, type Spot, spotsCalled } from './placement.ts'
export { type HostQuery, type Kind, type KindEntry, readHostQuery } from './query.ts'
export { showHost } from './record.ts'
export { hostRoutes } from './routes.ts'
export { findHosts, type Host } from './rows.ts'
export {
  findHostIds,
  type HostPlan,
  hostsAmong,
  type Looking,
  type Paging,
  planSearch,
  searchHosts,
  walkHosts,
} from './search.ts'
export { type Fate, type HostRow, settleRows, unlessOvertaken } from './settle.ts'
