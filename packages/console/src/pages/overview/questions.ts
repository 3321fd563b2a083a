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

/** Where hosts can be, as far as the whole estate is concerned. */
export const standings = {
  all: [],
  pool: [is('biz', 1)],
  idle: [is('biz', 0), is('module', 1)],
  fault: [is('biz', 0), is('module', 2)],
} satisfies Record<string, KindCondition[]>
export type Standing = keyof typeof standings

/** How many hosts there are, without asking for more than one of them. */
export const hostsStanding = (standing: Standing) => ({
  ...ask(hosts.searchHosts, {
    body: {
      condition: [{ bk_obj_id: 'host', fields: ['bk_host_id'], condition: [] }, ...standings[standing]],
      page: { start: 0, limit: 1 },
    },
  }),
  select: (found: { count: number }) => found.count,
})

/** How many each business has, by its id. */
export const hostsOfBusinesses = () => ask(topology.getBusinessHostCounts, { params: { bk_supplier_account: account } })

/** Idle for longer than this is long. */
export const idleDays = 30
const mostIdle = 200

/** When long ago begins. By the day, so that it is the same question for as long. */
function longAgo(): string {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - idleDays)
  return day.toISOString()
}

/** Hosts of idle modules that nobody has changed for long. A move changes where a host is, not the host: see movesOf. */
export const idleHosts = () => {
  const untouched = { field: 'last_time', operator: '$lt', value: longAgo() }
  const conditions = [...standings.idle, { bk_obj_id: 'host', condition: [untouched] }]
  return findHosts({ conditions, words: '', fields: [], sort: 'last_time' }, 0, mostIdle)
}

const atOnce = 200

/** Which of these hosts have been moved since, however often each of them was. */
export const movesOf = (ids: readonly number[]) =>
  queryOptions({
    queryKey: ['moves since', longAgo(), ids, preferences().user],
    queryFn: async ({ signal }) => {
      const moved = new Set<number>()
      for (let left = ids; left.length > 0; left = left.filter((id) => !moved.has(id))) {
        const condition = {
          op_target: 'host',
          op_type: 100,
          inst_id: { $in: left },
          op_time: [longAgo(), '9999-12-31 23:59:59'],
        }
        const { count, info } = await call(
          audit.getOperationLog,
          { body: { condition, start: 0, limit: atOnce } },
          signal,
        )
        for (const { inst_id } of info as unknown as { inst_id: number }[]) moved.add(inst_id)
        if (count <= atOnce || info.length === 0) break
      }
      return moved
    },
  })
