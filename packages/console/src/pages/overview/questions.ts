import { hosts } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import type { KindCondition } from '../../forms/filters.ts'

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
const count = (body: { bk_biz_id?: number; condition: readonly KindCondition[] }) => ({
  ...ask(hosts.searchHosts, {
    body: {
      ...body,
      condition: [{ bk_obj_id: 'host', fields: ['bk_host_id'], condition: [] }, ...body.condition],
      page: { start: 0, limit: 1 },
    },
  }),
  select: (found: { count: number }) => found.count,
})

export const hostsStanding = (standing: Standing) => count({ condition: standings[standing] })
export const hostsIn = (business: number) => count({ bk_biz_id: business, condition: [] })
