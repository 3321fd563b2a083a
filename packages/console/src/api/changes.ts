import { type AreaName, favourites } from '@mainline/contract'
import type { QueryClient } from '@tanstack/react-query'

/**
 * The areas whose answers may differ after a change of a subject. Privileges depend on the placement of hosts and on the roles of businesses, so
 * explanations follow these.
 */
const readIn = {
  businesses: ['Businesses', 'Topology', 'Sets', 'Modules', 'Hosts', 'Custom queries', 'Events', 'Privileges'],
  nodes: ['Businesses', 'Topology', 'Sets', 'Modules', 'Instances', 'Associations', 'Hosts', 'Custom queries'],
  hosts: ['Topology', 'Hosts', 'Custom queries', 'Events', 'Privileges'],
  model: [
    'Model',
    'Businesses',
    'Topology',
    'Sets',
    'Modules',
    'Instances',
    'Associations',
    'Hosts',
    'Custom queries',
    'Events',
    'Privileges',
  ],
  queries: ['Custom queries', 'Events'],
  subscriptions: ['Events'],
  settings: ['User settings'],
  /** Saved views and recent searches. */
  views: [],
} as const satisfies Record<string, readonly AreaName[]>

/** The subject of a change. After a change of privileges any answer may differ. */
export type Subject = keyof typeof readIn | 'privileges'

/** They are in an area that mostly reads hosts. */
const ofViews = [favourites.searchFavourite.name, favourites.searchHistory.name]

/** Query keys begin with the area that is read. */
export const staleAfter = (cache: QueryClient, subject: Subject): Promise<void> => {
  if (subject === 'privileges') return cache.invalidateQueries()
  const areas: readonly unknown[] = [...readIn[subject], 'Audit']
  const operations: readonly unknown[] = subject === 'views' ? ofViews : []
  return cache.invalidateQueries({
    predicate: ({ queryKey: [area, operation] }) => areas.includes(area) || operations.includes(operation),
  })
}
