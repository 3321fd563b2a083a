import { type DataOf, topology } from '@mainline/contract'
import { aMoment, askThen } from '../../api/ask.ts'
import { account } from '../../api/call.ts'
import { type Forest, type Place, plant, type TopologyNode } from './tree.ts'

// Built once per answer, for all components.
const planted = new WeakMap<object, Forest>()

/** The whole tree of a business, idle pool included. The browser revalidates it by its tag. */
export const treeOf = (business: number) => ({
  ...askThen(topology.getTree, {
    params: { bk_supplier_account: account, bk_biz_id: business },
    query: { with_default: 'true' },
  }),
  staleTime: aMoment,
  structuralSharing: false as const,
  select: (answer: unknown): Forest => {
    const nodes = answer as readonly TopologyNode[]
    const [top] = nodes
    if (!top) throw new Error('a business without a tree')
    const known = planted.get(nodes) ?? plant(top)
    planted.set(nodes, known)
    return known
  },
})

/** The tree of another moment stays in place until this one has been read. */
export const treeBefore = (business: number) => (before: DataOf<typeof topology.getTree> | undefined) =>
  before?.[0]?.bk_inst_id === business ? before : undefined

/** The number of hosts in a node; undefined while it is unknown. */
export type HostsIn = (place: Pick<Place, 'object' | 'id'>) => number | undefined

/** The counts of all nodes in one request, so that the tree shows them together. */
export const hostsInTree = (business: number) => ({
  ...askThen(topology.getHostCounts, { params: { bk_supplier_account: account, bk_biz_id: business } }),
  staleTime: 0,
  structuralSharing: false as const,
  select: countIn,
})

function countIn(counts: DataOf<typeof topology.getHostCounts>): HostsIn {
  return ({ object, id }) => counts[object]?.[id] ?? 0
}
