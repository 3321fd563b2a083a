import { operationTypes } from '@mainline/contract'
import type { Insertable } from 'kysely'
import type { Actor, Emitted, Happened } from '../change.ts'
import type { Writer } from '../handles.ts'
import { insertMany } from '../insert-many.ts'
import { preparedChange } from '../prepared.ts'
import type { Tables } from '../tables.ts'

interface Entry {
  txnId: string
  actor: Actor
  now: number
  happened: readonly Happened[]
  /** How many records the change has written before these. */
  first: number
}

type Row = Insertable<Tables['log']>

/** Records made ready at once, so that a long change need not keep them all. */
const rowsAtOnce = 1000

const appendOne = preparedChange((writer, row: Row) => {
  const { position } = row
  return writer.insertInto('log').values({
    ...(writer.dialect.numbersAtOnce && { position }),
    txn_id: row.txn_id,
    ordinal: row.ordinal,
    account: row.account,
    biz_id: row.biz_id,
    object_id: row.object_id,
    inst_id: row.inst_id,
    operation: row.operation,
    description: row.description,
    operator: row.operator,
    op_time: row.op_time,
    ext_key: row.ext_key,
    request_id: row.request_id,
    content: row.content,
    events: row.events,
  })
})

/** Writes the records of a change: its last statement, so that its ticket is drawn with all its locks held. */
export async function append(writer: Writer, entry: Entry): Promise<void> {
  for (let first = 0; first < entry.happened.length; first += rowsAtOnce) {
    const part = entry.happened.slice(first, first + rowsAtOnce)
    const [head] = writer.dialect.numbersAtOnce ? await advance(writer, { count: part.length }) : []
    const rows = part.map((what, index) =>
      recordOf(entry, what, entry.first + first + index, head && head.position - part.length + 1 + index),
    )
    const [only] = rows
    if (rows.length === 1 && only) await appendOne(writer, only)
    else await insertMany(writer, 'log', rows)
  }
}

/** Where one change at a time writes, positions are drawn with the tickets; elsewhere they are given after the commit. */
const advance = preparedChange((writer, { count }: { count: number }) =>
  writer
    .updateTable('log_head')
    .set((eb) => ({ position: eb('position', '+', count) }))
    .returning('position'),
)

function recordOf({ txnId, actor, now }: Entry, what: Happened, ordinal: number, position: number | undefined): Row {
  return {
    ...(position !== undefined && { position }),
    txn_id: txnId,
    ordinal,
    account: actor.account,
    biz_id: what.business,
    object_id: what.object,
    inst_id: what.instance,
    operation: operationTypes[what.operation],
    description: what.description,
    operator: actor.user,
    op_time: now,
    ext_key: what.key ?? '',
    request_id: actor.requestId,
    content: JSON.stringify({ pre: what.before, cur: what.after }),
    events: JSON.stringify(what.events ?? [ownEvent(what)]),
  }
}

const verbs = { add: 'create', update: 'update', delete: 'delete', transfer: 'update' } as const

/** `setcreate` for a set that was added. */
const ownEvent = ({ object, operation }: Pick<Happened, 'object' | 'operation'>): Emitted => ({
  name: object + verbs[operation],
})
