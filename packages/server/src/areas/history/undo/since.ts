// Who changed what an undo would change back.
import type { Reader } from '../../../storage/index.ts'
import { nodeOfKey, type RowChange, rowChangesOf } from '../recorded/index.ts'
import { type Conflict, differences, type UndoableRecord } from './plan.ts'

/** Newer records of one instance that are read. */
const maxRead = 200
/** Conflicts for which the later change is looked up. */
export const maxExplained = 200

export type Since = UndoableRecord['record']

/** The newest later record that changed the field, or the row at all. */
export async function changedSince(
  reader: Reader,
  record: UndoableRecord['record'],
  { row, field }: Conflict,
): Promise<Since | undefined> {
  const about = instanceOf(row)
  if (!about) return undefined
  const newer = await reader
    .selectFrom('log')
    .selectAll()
    .where('account', '=', record.account)
    .where('object_id', '=', about.object)
    .$if(about.key === undefined, (query) => query.where('inst_id', '=', about.id))
    .$if(about.key !== undefined, (query) => query.where('ext_key', '=', about.key ?? ''))
    .where('ticket', '>', record.ticket)
    .orderBy('op_time', 'desc')
    .orderBy('ticket', 'desc')
    .limit(maxRead)
    .execute()
  const numbered = newer.flatMap(({ position, ...each }) => (position === null ? [] : [{ ...each, position }]))
  const touches = (change: RowChange) =>
    change.kind === row.kind && change.key === row.key && (field === '' || isAbout(change, field))
  return numbered.find((each) => rowChangesOf(each)?.some(touches)) ?? numbered[0]
}

const isAbout = ({ before, after }: RowChange, field: string) =>
  !before || !after || differences(before, after).some((each) => each.field === field)

function instanceOf({ kind, key }: Conflict['row']): { object: string; id: number; key?: string } | undefined {
  if (kind === 'node') return key === '' ? undefined : nodeOfKey(key)
  if (kind === 'host' || kind === 'placement') return { object: 'host', id: Number(key) }
  if (kind === 'custom_query') return { object: 'userapi', id: 0, key }
  if (kind === 'user_group') return { object: 'usergroup', id: Number(key) }
  return kind === 'instance_association' ? { object: 'instassociation', id: Number(key) } : undefined
}
