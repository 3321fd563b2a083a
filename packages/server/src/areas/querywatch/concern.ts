import type { LogRecord } from '../../platform/storage/index.ts'
import { queryIn } from '../feed/index.ts'
import type { Watch } from './store.ts'

/** What a stretch of the log may have changed for a query. */
export interface Concern {
  /** Hosts that may have entered or left; all of them when where they stand, the query or the model has changed. */
  readonly hosts: readonly number[] | 'all'
  /** Perhaps nobody names it any more. */
  readonly subscriptions: boolean
}

export const anything: Concern = { hosts: 'all', subscriptions: true }

/** Records that change no result, of whatever business they are. */
const harmless = new Set(['usergroup', 'privilege'])

export function concernOf(records: readonly LogRecord[], watch: Watch): Concern {
  const hosts = new Set<number>()
  let all = false
  let subscriptions = false
  for (const { account, object_id: object, inst_id, biz_id, ext_key } of records) {
    if (account !== watch.account || harmless.has(object) || queryIn(object) !== undefined) continue
    if (object === 'host') hosts.add(inst_id)
    else if (object === 'subscription') subscriptions = true
    else if (object === 'userapi') all ||= ext_key === watch.query
    else all ||= object === 'model' || biz_id === watch.biz_id
  }
  return { hosts: all ? 'all' : [...hosts], subscriptions }
}
