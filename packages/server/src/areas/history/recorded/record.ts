import { operationTypes } from '@mainline/contract'
import { readOwnJson } from '../../../common/own-json.ts'
import type { LogRecord, Snapshot, Unshown } from '../../../storage/index.ts'
import { queryIn } from '../../events/feed/index.ts'
import { hostChange, moveChanges, nodeChange, placementOf, type Shown } from './instances.ts'
import { modelChanges } from './model.ts'
import { associationChange, groupChange, privilegeChanges, queryChange } from './others.ts'
import type { RowChange } from './rows.ts'
import { isRecord } from './values.ts'

export interface Content {
  readonly pre: Snapshot | null
  readonly cur: Snapshot | null
  /** Absent in records of earlier releases. */
  readonly unshown?: Unshown
  /** Positions of the records that the change has undone. */
  readonly undoes?: readonly number[]
}

export const contentOf = ({ content }: Pick<LogRecord, 'content'>): Content => readOwnJson<Content>(content)

/** The parts of a log record from which rows are derived. */
export type Recorded = Pick<
  LogRecord,
  'object_id' | 'inst_id' | 'operation' | 'description' | 'ext_key' | 'content' | 'events' | 'revision'
>

/** Records that are about no row of the estate: subscriptions have secrets, and what enters a watched query follows from other rows. */
const isBeside = ({ object_id: object }: Recorded) =>
  object === 'subscription' || object === 'history' || queryIn(object) !== undefined

/**
 * What a record did to stored rows, exactly. Undefined for a record of an earlier release, which does not hold everything that was stored:
 * the past is complete after the newest of those.
 */
export function rowChangesOf(record: Recorded): readonly RowChange[] | undefined {
  const { object_id: object, inst_id: id } = record
  if (isBeside(record)) return []
  const { pre, cur, unshown } = contentOf(record)
  if (!unshown) return undefined
  const shown: Shown = { before: pre, after: cur, unshown, revision: record.revision }
  switch (object) {
    case 'model':
      return modelChanges(record.description, shown)
    case 'userapi':
      return [queryChange(record.ext_key, shown)]
    case 'usergroup':
      return [groupChange(id, shown)]
    case 'privilege':
      return privilegeChanges(record.description, id, shown)
    case 'instassociation':
      return [associationChange(shown)]
    case 'host':
      return hostChanges(record, shown)
    case 'biz':
      return [nodeChange(object, id, shown), ...builtInNodes(record)]
    default:
      return [nodeChange(object, id, shown)]
  }
}

const eventsIn = ({ events }: Recorded): Snapshot[] => readOwnJson<Snapshot[]>(events)

function hostChanges(record: Recorded, shown: Shown): RowChange[] {
  const id = record.inst_id
  if (record.operation === operationTypes.transfer) return moveChanges(id, shown)
  const host = hostChange(id, shown)
  if (shown.before && shown.after) return [host]
  return [host, placementOf(id, eventsIn(record), shown.after ? 'after' : 'before')]
}

/** The idle pool of a business and its modules are created and deleted with it: only the events of its record name them. */
function builtInNodes(record: Recorded): RowChange[] {
  return eventsIn(record).flatMap((event) => {
    const [before, after] = [event.before, event.after].map((side) => (isRecord(side) ? side : null))
    if (!before && !after) return []
    const { bk_obj_id: object, bk_inst_id: _, ...ids } = before ?? after ?? {}
    if (typeof object !== 'string') return []
    const id = Number(object === 'set' ? ids.bk_set_id : ids.bk_module_id)
    const unshown = isRecord(event.unshown) ? event.unshown : {}
    return [
      nodeChange(object, id, {
        before: before ?? null,
        after: after ?? null,
        unshown,
        revision: Number(event.revision),
      }),
    ]
  })
}
