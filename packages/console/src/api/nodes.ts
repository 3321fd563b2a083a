import { type DataOf, topology } from '@mainline/contract'
import { ask } from './ask.ts'
import { account } from './call.ts'

type Found = DataOf<typeof topology.searchNodes>
/** A level, set or module of any business. */
export type FoundNode = Required<Found['info'][number]>

/** Levels, sets and modules of all businesses. */
export const findNodes = (asked: { name?: string; without_hosts?: boolean }, limit: number) => ({
  ...ask(topology.searchNodes, {
    params: { bk_supplier_account: account },
    body: { ...asked, page: { start: 0, limit } },
  }),
  select: (found: Found) => ({ count: found.count, nodes: found.info as FoundNode[] }),
})
