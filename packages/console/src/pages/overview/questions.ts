import { audit, hosts, topology } from '@mainline/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'
import type { KindCondition } from '../../forms/filters.ts'
import { preferences } from '../../preferences.ts'
import { findHosts } from '../hosts/questions.ts'

const is = (kind: string, value: number): KindCondition => ({
  bk_obj_id: kind,
  condition: [{ field: 'default', operator: '$eq', value }],
})

/** Categories of placement for the whole estate. */
export const placements = {
  all: [],
  pool: [is('biz', 1)],
  idle: [is('biz', 0), is('module', 1)],
  fault: [is('biz', 0), is('module', 2)],
} satisfies Record<string, KindCondition[]>
type PlacementKind = keyof typeof placements

/** The number of hosts, by a search with a limit of one. */
export const hostCountIn = (standing: PlacementKind) => ({
  ...ask(hosts.searchHosts, {
    body: {
      condition: [{ bk_obj_id: 'host', fields: ['bk_host_id'], condition: [] }, ...placements[standing]],
      page: { start: 0, limit: 1 },
    },
  }),
  select: (found: { count: number }) => found.count,
})

/** The number of hosts by business id. */
export const hostsOfBusinesses = () => ask(topology.getBusinessHostCounts, { params: { bk_supplier_account: account } })

/** Idle for longer than this counts as long. */
export const idleDays = 30
const mostIdle = 200

/** The start of that period, rounded to a day so that the query key is stable. */
function longAgo(): string {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - idleDays)
  return day.toISOString()
}

/** Hosts of idle modules without changes for a long time. A move changes the placement, not the host: see movesOf. */
export const idleHosts = () => {
  const untouched = { field: 'last_time', operator: '$lt', value: longAgo() }
  const conditions = [...placements.idle, { bk_obj_id: 'host', condition: [untouched] }]
  return findHosts({ conditions, words: '', fields: [], sort: 'last_time' }, 0, mostIdle)
}

/** Hosts of fault modules. */
export const brokenHosts = () => findHosts({ conditions: placements.fault, words: '', fields: [] }, 0, mostIdle)

const atOnce = 200

/** Which of these hosts were moved since, regardless of the number of moves. */
export const movesOf = (ids: readonly number[]) =>
  queryOptions({
    queryKey: ['Audit', 'moves since', longAgo(), ids, preferences().user],
    queryFn: async ({ signal }) => {
      const moved = new Set<number>()
      for (let left = ids; left.length > 0; left = left.filter((id) => !moved.has(id))) {
        const condition = {
          op_target: 'host',
          op_type: 100,
          inst_id: { $in: left },
          op_time: [longAgo(), '9999-12-31 23:59:59'],
        }
        const { count, info } = await call(audit.getOperationLog, {
          body: { condition, start: 0, limit: atOnce },
          signal,
        })
        for (const { inst_id } of info as unknown as { inst_id: number }[]) moved.add(inst_id)
        if (count <= atOnce || info.length === 0) break
      }
      return moved
    },
  })
