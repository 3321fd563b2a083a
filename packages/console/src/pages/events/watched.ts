import type { DataOf, feed } from '@mainline/contract'

export type WatchedEvent = DataOf<typeof feed.streamEvents>

/** The displayed name of an event's instance. */
export function subjectOf({ bk_resource, bk_detail }: Pick<WatchedEvent, 'bk_resource' | 'bk_detail'>): string {
  const detail = bk_detail ?? {}
  if (bk_resource === 'host_relation') return `#${detail.bk_host_id} → #${detail.bk_module_id}`
  const host = detail.host as Record<string, unknown> | undefined
  if (host) return `${detail.name}: ${host.bk_host_innerip ?? `#${host.bk_host_id}`}`
  const names = ['bk_host_innerip', 'bk_module_name', 'bk_set_name', 'bk_biz_name', 'bk_inst_name', 'bk_cloud_name']
  const found = names.find((name) => typeof detail[name] === 'string' && detail[name] !== '')
  return String(found ? detail[found] : (detail.bk_inst_id ?? detail.bk_host_id ?? ''))
}

/** Newest first, up to a limit. */
export const withNewest = <Row>(rows: readonly Row[], added: Row, most: number): Row[] =>
  [added, ...rows].slice(0, most)
