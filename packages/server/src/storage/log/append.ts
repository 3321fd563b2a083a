import { operationTypes } from '@mainline/contract'
import type { Insertable } from 'kysely'
import type { Actor } from '../change/actor.ts'
import type { ChangeRecord, Emitted } from '../change/change-record.ts'
import type { Writer } from '../handles.ts'
import { insertMany } from '../insert-many.ts'
import { preparedChange } from '../prepared.ts'
import type { Tables } from '../tables.ts'
import { databaseClock, notBefore, readDatabaseTime } from './record-time.ts'

interface LogEntry {
  txnId: string
  actor: Actor
  now: number
  records: readonly ChangeRecord[]
  /** The number of records that the change has already written. */
  first: number
}

type Row = Insertable<Tables['log']>

/** Records serialised at a time, so that a large change does not hold all of them in memory. */
const rowsPerInsert = 1000

const appendOne = preparedChange((writer, row: Row) => {
  const { position } = row
  return writer.insertInto('log').values({
    ...(writer.dialect.numbersInChange && { position }),
    txn_id: row.txn_id,
    ordinal: row.ordinal,
    account: row.account,
    biz_id: row.biz_id,
    object_id: row.object_id,
    inst_id: row.inst_id,
    operation: row.operation,
    description: row.description,
    operator: row.operator,
    op_time: writer.dialect.numbersInChange ? row.op_time : databaseClock,
    ext_key: row.ext_key,
    request_id: row.request_id,
    content: row.content,
    events: row.events,
    revision: row.revision,
    reason: row.reason,
  })
})

/**
 * Writes the records of a change as its last statement, so that the ticket is drawn while all locks are held. The statement of a single
 * record is passed to `later` once it is sent.
 */
export async function append(
  writer: Writer,
  entry: LogEntry,
  later?: (statement: Promise<unknown>) => void,
): Promise<void> {
  for (let first = 0; first < entry.records.length; first += rowsPerInsert) {
    const part = entry.records.slice(first, first + rowsPerInsert)
    const [head] = writer.dialect.numbersInChange ? await advance(writer, { count: part.length, now: entry.now }) : []
    const time = head?.time ?? (part.length === 1 ? entry.now : await readDatabaseTime(writer))
    const rows = part.map((what, index) => ({
      ...recordOf(entry, what, entry.first + first + index, time),
      ...(head && { position: head.position - part.length + 1 + index }),
    }))
    const [only] = rows
    if (rows.length > 1 || !only) await insertMany(writer, 'log', rows)
    else if (later) later(appendOne(writer, only))
    else await appendOne(writer, only)
  }
}

/** With a single writer, positions are drawn together with tickets; otherwise they are assigned after the commit. */
const advance = preparedChange((writer, { count, now }: { count: number; now: number }) =>
  writer
    .updateTable('log_head')
    .set((eb) => ({
      position: eb('position', '+', count),
      time: notBefore(eb.ref('time'), eb.val(now)),
    }))
    .returning(['position', 'time']),
)

function recordOf({ txnId, actor }: LogEntry, what: ChangeRecord, ordinal: number, time: number): Row {
  return {
    txn_id: txnId,
    ordinal,
    account: actor.account,
    biz_id: what.business,
    object_id: what.object,
    inst_id: what.instance,
    operation: operationTypes[what.operation],
    description: what.description,
    operator: actor.user,
    op_time: time,
    ext_key: what.key ?? '',
    request_id: actor.requestId,
    // Records of earlier releases have no `unshown`: from them the stored state cannot be derived.
    content: JSON.stringify({
      pre: what.before,
      cur: what.after,
      unshown: what.unshown ?? {},
      ...(what.undoes && { undoes: what.undoes }),
    }),
    events: JSON.stringify(what.events ?? [ownEvent(what)]),
    revision: what.revision,
    reason: actor.reason ?? '',
  }
}

const verbs = { add: 'create', update: 'update', delete: 'delete', transfer: 'update' } as const

/** The default event name, such as `setcreate`. */
const ownEvent = ({ object, operation }: Pick<ChangeRecord, 'object' | 'operation'>): Emitted => ({
  name: object + verbs[operation],
})
