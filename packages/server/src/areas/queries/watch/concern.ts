import type { associations } from '@mainline/contract'
import { readOwnJson } from '../../../common/own-json.ts'
import type { LogRecord } from '../../../storage/index.ts'
import { associationEvent } from '../../associations/index.ts'
import { queryIn } from '../../events/feed/index.ts'
import type { Watch } from './store.ts'

/** How a range of log records may affect a query. */
export interface Concern {
  /** Hosts that may have entered or left; all when placements in general, the query or the model has changed. */
  readonly hosts: readonly number[] | 'all'
  /** Whether a subscription may have been removed from the query. */
  readonly subscriptions: boolean
  /** What matters only to queries that filter by associated instances: their objects, and hosts whose associations have changed. */
  readonly elsewhere: { readonly objects: ReadonlySet<string>; readonly hosts: readonly number[] }
}

const nowhereElse = { objects: new Set<string>(), hosts: [] }
export const anything: Concern = { hosts: 'all', subscriptions: true, elsewhere: nowhereElse }

/** Records that change no result, in any business. */
const irrelevantKinds = new Set(['usergroup', 'privilege'])

/** In other businesses they are nothing that a query filters by. */
const ownKinds = new Set(['set', 'module'])

export function concernOf(records: readonly LogRecord[], watch: Watch): Concern {
  const hosts = new Set<number>()
  let all = false
  let subscriptions = false
  const elsewhere = { objects: new Set<string>(), hosts: [] as number[] }
  for (const record of records) {
    const { account, object_id: object, inst_id, biz_id, ext_key } = record
    if (account !== watch.account || irrelevantKinds.has(object) || queryIn(object) !== undefined) continue
    if (object === 'host') hosts.add(inst_id)
    else if (object === 'subscription') subscriptions = true
    else if (object === 'userapi') all ||= ext_key === watch.query
    else if (object === associationEvent) elsewhere.hosts.push(...hostsAtEnds(record))
    else if (object === 'model' || biz_id === watch.biz_id) all = true
    else if (!ownKinds.has(object)) elsewhere.objects.add(object)
  }
  return { hosts: all ? 'all' : [...hosts], subscriptions, elsewhere }
}

/** Of a query that filters by associated instances of these objects. */
export function withAssociated({ hosts, elsewhere }: Concern, behind: readonly string[]): Concern['hosts'] {
  if (hosts === 'all' || behind.length === 0) return hosts
  // With a business, the instances of its levels are archived and recovered.
  if (elsewhere.objects.has('biz') || behind.some((object) => elsewhere.objects.has(object))) return 'all'
  return [...new Set([...hosts, ...elsewhere.hosts])]
}

function hostsAtEnds({ content }: Pick<LogRecord, 'content'>): number[] {
  const { pre, cur } =
    readOwnJson<Partial<Record<'pre' | 'cur', associations.InstanceAssociationRecord | null>>>(content)
  const about = cur ?? pre
  if (!about) return []
  return [
    ...(about.bk_obj_id === 'host' ? [about.bk_inst_id] : []),
    ...(about.bk_asst_obj_id === 'host' ? [about.bk_asst_inst_id] : []),
  ]
}
