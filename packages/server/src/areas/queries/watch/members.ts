import { operationTypes } from '@mainline/contract'
import { readOwnJson } from '../../../common/own-json.ts'
import type { Snapshot, Tx } from '../../../storage/index.ts'
import { queryEvent } from '../../events/feed/index.ts'
import { findHosts, type Host, showHost } from '../../hosts/index.ts'
import { modelIn, objectOf } from '../../model/index.ts'
import type { QueryReading, QueryRow } from '../run/index.ts'
import { heldResult } from './result.ts'
import { addMembers, membersAmong, removeMembers, type Watch } from './store.ts'

/**
 * Evaluates these hosts, updates the members, and records an event for each host that has entered or left. Idempotent:
 * events are recorded only for differences from the stored members.
 */
export async function recordChanges(
  tx: Tx,
  watch: Watch,
  query: QueryRow | undefined,
  hostIds: readonly number[],
  reading: QueryReading,
): Promise<void> {
  const result = query && (await heldResult(tx, query, reading))
  const found = (await result?.among(tx, hostIds)) ?? []
  const members = new Set(await membersAmong(tx, watch.query, hostIds))
  const entered = found.filter((host) => !members.has(host.host_id))
  const left = [...members.difference(new Set(found.map((host) => host.host_id)))]
  const object = objectOf(await modelIn(tx), 'host')
  const show = (host: Host): LastRecord => ({
    revision: host.revision,
    shown: showHost(object, host, { language: 'en', zone: reading.zone }, result?.fields),
  })
  const last = await lastRecords(tx, left, show, result?.fields ?? [])

  await removeMembers(tx, watch.query, left)
  await addMembers(
    tx,
    watch.query,
    entered.map((host) => host.host_id),
  )
  const about = { id: watch.query, name: query?.name ?? watch.name, bk_biz_id: watch.biz_id }
  const record = (host: number, { revision, shown }: LastRecord, what: 'entered' | 'left') =>
    recordEvent(tx, watch, { host, revision, shown: { ...about, host: shown }, behind: result?.behind ?? [] }, what)
  for (const id of left) record(id, last.get(id) ?? { revision: 0, shown: { bk_host_id: id } }, 'left')
  for (const host of entered) record(host.host_id, show(host), 'entered')
}

/** The host as it is, or as it was before its deletion. */
interface LastRecord {
  readonly revision: number
  readonly shown: Snapshot
}

/** Not a user's change, so the audit search does not show it; subscriptions and watchers find it by the query. */
function recordEvent(
  tx: Tx,
  { query, biz_id }: Watch,
  { host, revision, shown, behind }: LastRecord & { readonly host: number; readonly behind: readonly string[] },
  what: 'entered' | 'left',
): void {
  tx.record({
    operation: what === 'entered' ? 'add' : 'delete',
    object: queryEvent(query),
    instance: host,
    business: biz_id,
    description: `host ${what} custom query`,
    revision,
    before: what === 'left' ? shown : null,
    after: what === 'entered' ? shown : null,
    events: [{ name: queryEvent(query), ...(behind.length > 0 && { searched: behind }) }],
  })
}

/** Current hosts; deleted ones come from the record of their deletion. */
async function lastRecords(
  tx: Tx,
  hostIds: readonly number[],
  show: (host: Host) => LastRecord,
  fields: readonly string[],
): Promise<Map<number, LastRecord>> {
  if (hostIds.length === 0) return new Map()
  const { account } = tx.actor
  const shown = new Map((await findHosts(tx, account, hostIds)).map((host) => [host.host_id, show(host)]))
  const gone = hostIds.filter((id) => !shown.has(id))
  if (gone.length === 0) return shown
  const records = await tx
    .selectFrom('log')
    .select(['inst_id', 'content', 'revision'])
    .where('account', '=', account)
    .where('object_id', '=', 'host')
    .where((eb) => tx.dialect.among(eb.ref('inst_id'), gone, 'integer'))
    .where('operation', '=', operationTypes.delete)
    // A host that was restored may have been deleted again.
    .orderBy('ticket')
    .execute()
  for (const { inst_id, content, revision } of records) {
    const { pre } = readOwnJson<{ pre: Snapshot }>(content)
    const chosen = fields.length === 0 ? pre : Object.fromEntries(fields.map((name) => [name, pre[name] ?? null]))
    shown.set(inst_id, { revision, shown: chosen })
  }
  return shown
}
