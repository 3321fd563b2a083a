import type { LogRecord } from '../../../storage/index.ts'
import { queryIn } from '../../events/feed/index.ts'
import type { Watch } from './store.ts'

/** How a range of log records may affect a query. */
export interface Concern {
  /** Hosts that may have entered or left; all when placements in general, the query or the model has changed. */
  readonly hosts: readonly number[] | 'all'
  /** Whether a subscription may have been removed from the query. */
  readonly subscriptions: boolean
}

export const anything: Concern = { hosts: 'all', subscriptions: true }

/** Records that change no result, in any business. */
const irrelevantKinds = new Set(['usergroup', 'privilege'])

export function concernOf(records: readonly LogRecord[], watch: Watch): Concern {
  const hosts = new Set<number>()
  let all = false
  let subscriptions = false
  for (const { account, object_id: object, inst_id, biz_id, ext_key } of records) {
    if (account !== watch.account || irrelevantKinds.has(object) || queryIn(object) !== undefined) continue
    if (object === 'host') hosts.add(inst_id)
    else if (object === 'subscription') subscriptions = true
    else if (object === 'userapi') all ||= ext_key === watch.query
    else all ||= object === 'model' || biz_id === watch.biz_id
  }
  return { hosts: all ? 'all' : [...hosts], subscriptions }
}
