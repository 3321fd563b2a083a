import type { FoundNode } from '../../api/nodes.ts'
import type { Subscription } from '../events/questions.ts'
import type { HostRow } from '../hosts/questions.ts'

/** A problem, with a link to its solution. */
export type Matter =
  | { readonly kind: 'unreachable' | 'lapsed' | 'dead'; readonly subscription: Subscription }
  | {
      readonly kind: 'idle' | 'fault'
      readonly business: Named
      readonly module: number
      readonly hosts: number
      readonly atLeast: boolean
    }
  | {
      readonly kind: 'empty'
      readonly business: Named
      readonly modules: readonly FoundNode[]
      readonly atLeast: boolean
    }

interface Named {
  readonly id: number
  readonly name: string
}

/** Problems of subscriptions, one per subscription, worst first. */
export function troubledSubscriptions(subscriptions: readonly Subscription[]): Matter[] {
  const matters = subscriptions.flatMap((subscription): Matter[] => {
    const { state, dead_letters } = subscription
    if (state === 'unreachable' || state === 'lapsed') return [{ kind: state, subscription }]
    return dead_letters > 0 ? [{ kind: 'dead', subscription }] : []
  })
  return matters.sort((one, other) => Number(one.kind === 'dead') - Number(other.kind === 'dead'))
}

/** Long idle hosts by business, without those that were moved there recently. The result is limited to the loaded ones. */
export const longIdle = (rows: readonly HostRow[], movedLately: ReadonlySet<number>, atLeast: boolean): Matter[] =>
  hostsByBusiness(
    'idle',
    rows.filter((row) => !movedLately.has(row.host.bk_host_id)),
    atLeast,
  )

/** Hosts in fault modules by business. */
export const faultyHosts = (rows: readonly HostRow[], atLeast: boolean): Matter[] =>
  hostsByBusiness('fault', rows, atLeast)

function hostsByBusiness(kind: 'idle' | 'fault', rows: readonly HostRow[], atLeast: boolean): Matter[] {
  const byBusiness = Map.groupBy(rows, (row) => row.biz[0]?.bk_biz_id ?? 0)
  return [...byBusiness.values()].flatMap((ofBusiness): Matter[] => {
    const [business, module] = [ofBusiness[0]?.biz[0], ofBusiness[0]?.module[0]]
    if (!business || !module) return []
    const named = { id: business.bk_biz_id, name: business.bk_biz_name }
    return [{ kind, business: named, module: module.bk_module_id, hosts: ofBusiness.length, atLeast }]
  })
}

export const emptyModules = (nodes: readonly FoundNode[], atLeast: boolean): Matter[] =>
  [...Map.groupBy(nodes, (node) => node.bk_biz_id).values()].flatMap((modules): Matter[] => {
    const [first] = modules
    return first
      ? [{ kind: 'empty', business: { id: first.bk_biz_id, name: first.bk_biz_name }, modules, atLeast }]
      : []
  })
