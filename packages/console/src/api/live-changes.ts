import { type AreaName, type DataOf, type feed, topology } from '@mainline/contract'

type ServerEvent = Pick<DataOf<typeof feed.streamEvents>, 'bk_resource' | 'bk_detail'>

/** What an event has changed. */
export interface LiveChange {
  readonly resource: string
  /** Undefined outside of businesses, and if the event does not tell. */
  readonly business: number | undefined
  /** When it was received; queries that began later include it. */
  readonly at: number
}

/** Areas whose answers may differ after an event about any instance. */
const ofInstances: readonly AreaName[] = [
  'Businesses',
  'Topology',
  'Sets',
  'Modules',
  'Instances',
  'Associations',
  'Hosts',
  'Custom queries',
  'Audit',
  'History',
]
const areasOf: Readonly<Record<string, readonly AreaName[]>> = {
  host: ['Hosts', 'Associations', 'Custom queries', 'Audit', 'History'],
  host_relation: ['Hosts', 'Topology', 'Custom queries', 'Audit', 'History'],
  inst_asst: ['Associations', 'Custom queries', 'Audit', 'History'],
}

export const changeBy = ({ bk_resource, bk_detail }: ServerEvent, at: number): LiveChange => {
  const business = bk_detail?.bk_biz_id
  return { resource: bk_resource, business: typeof business === 'number' ? business : undefined, at }
}

/** Whether the answer of a query may differ after a change. Its key is as `ask` makes it. */
export function concerns({ resource, business }: LiveChange, [area, operation, asked]: readonly unknown[]): boolean {
  if (resource === 'history') return true
  if (!(areasOf[resource] ?? ofInstances).some((each) => each === area)) return false
  // Moves of hosts change counts, and not the tree.
  if (resource === 'host_relation' && operation === topology.getTree.name) return false
  // What was at a moment of the past does not change.
  if (isOfThePast(asked)) return false
  const queried = businessIn(asked)
  return queried === undefined || business === undefined || queried === business
}

const isOfThePast = (asked: unknown): boolean =>
  (asked as { query?: Record<string, unknown> } | undefined)?.query?.as_of !== undefined

/** The business that a query is limited to. */
function businessIn(asked: unknown): number | undefined {
  const { params, body } = (asked ?? {}) as { params?: Record<string, unknown>; body?: Record<string, unknown> }
  const business = Number(params?.bk_biz_id ?? body?.bk_biz_id)
  return business > 0 ? business : undefined
}
