import { operationTypes } from '@mainline/contract'
import type { Snapshot, Tx } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { queryEvent } from '../feed/index.ts'
import { findHosts, type Host, showHost } from '../hosts/index.ts'
import { modelIn, objectOf } from '../model/index.ts'
import type { QueryRow } from '../queries/index.ts'
import { heldResult } from './result.ts'
import { addMembers, membersAmong, removeMembers, type Watch } from './store.ts'

/**
 * Judges these hosts now, and writes and tells who has entered the result and who has left it. Looked at again, nothing
 * is told twice: what was told is what the members say.
 */
export async function settle(
  tx: Tx,
  watch: Watch,
  query: QueryRow | undefined,
  hostIds: readonly number[],
  zone: Zone,
): Promise<void> {
  const result = query && (await heldResult(tx, query, zone))
  const found = (await result?.among(tx, hostIds)) ?? []
  const members = new Set(await membersAmong(tx, watch.query, hostIds))
  const entered = found.filter((host) => !members.has(host.host_id))
  const left = [...members.difference(new Set(found.map((host) => host.host_id)))]
  const object = objectOf(await modelIn(tx), 'host')
  const show = (host: Host) => showHost(object, host, { language: 'en', zone }, result?.fields)
  const shown = await lastShown(tx, left, show, result?.fields ?? [])

  await removeMembers(tx, watch.query, left)
  await addMembers(
    tx,
    watch.query,
    entered.map((host) => host.host_id),
  )
  const about = { id: watch.query, name: query?.name ?? watch.name, bk_biz_id: watch.biz_id }
  for (const id of left) tell(tx, watch, id, { ...about, host: shown.get(id) ?? { bk_host_id: id } }, 'left')
  for (const host of entered) tell(tx, watch, host.host_id, { ...about, host: show(host) }, 'entered')
}

/** Nobody has changed anything, so the audit search does not show it; subscriptions and watchers find it by the query. */
function tell(tx: Tx, { query, biz_id }: Watch, host: number, shown: Snapshot, what: 'entered' | 'left'): void {
  tx.record({
    operation: what === 'entered' ? 'add' : 'delete',
    object: queryEvent(query),
    instance: host,
    business: biz_id,
    description: `host ${what} custom query`,
    before: what === 'left' ? shown : null,
    after: what === 'entered' ? shown : null,
    events: [{ name: queryEvent(query) }],
  })
}

/** Hosts as they are; those that are gone as the record of their deletion has them. */
async function lastShown(
  tx: Tx,
  hostIds: readonly number[],
  show: (host: Host) => Snapshot,
  fields: readonly string[],
): Promise<Map<number, Snapshot>> {
  if (hostIds.length === 0) return new Map()
  const { account } = tx.actor
  const shown = new Map((await findHosts(tx, account, hostIds)).map((host) => [host.host_id, show(host)]))
  const gone = hostIds.filter((id) => !shown.has(id))
  if (gone.length === 0) return shown
  const records = await tx
    .selectFrom('log')
    .select(['inst_id', 'content'])
    .where('account', '=', account)
    .where('object_id', '=', 'host')
    .where((eb) => tx.dialect.among(eb.ref('inst_id'), gone, 'integer'))
    .where('operation', '=', operationTypes.delete)
    .execute()
  for (const { inst_id, content } of records) {
    const { pre } = JSON.parse(content) as { pre: Snapshot }
    shown.set(inst_id, fields.length === 0 ? pre : Object.fromEntries(fields.map((name) => [name, pre[name] ?? null])))
  }
  return shown
}
