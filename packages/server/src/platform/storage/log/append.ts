import { operationTypes } from '@mainline/contract'
import type { Kysely } from 'kysely'
import type { Actor, Emitted, Happened } from '../change.ts'
import type { Dialect } from '../dialect.ts'
import type { Tables } from '../tables.ts'

interface Entry {
  txnId: string
  actor: Actor
  now: number
  happened: readonly Happened[]
}

/** Rows in one statement; each has 15 bound values, and PostgreSQL takes 65,535. */
const rowsAtOnce = 1000

/** Writes the records of a change: its last statement, so that its ticket is drawn with all its locks held. */
export async function append(db: Kysely<Tables>, dialect: Dialect, entry: Entry): Promise<void> {
  for (let first = 0; first < entry.happened.length; first += rowsAtOnce) {
    const part = entry.happened.slice(first, first + rowsAtOnce)
    const tickets = await dialect.drawTickets(db, part.length)
    await db
      .insertInto('log')
      .values(
        part.map((what, index) => ({
          ...(tickets[index] as (typeof tickets)[number]),
          txn_id: entry.txnId,
          ordinal: first + index,
          account: entry.actor.account,
          biz_id: what.business,
          object_id: what.object,
          inst_id: what.instance,
          operation: operationTypes[what.operation],
          description: what.description,
          operator: entry.actor.user,
          op_time: entry.now,
          ext_key: what.key ?? '',
          request_id: entry.actor.requestId,
          content: JSON.stringify({ pre: what.before, cur: what.after }),
          events: JSON.stringify(what.events ?? [ownEvent(what)]),
        })),
      )
      .execute()
  }
}

const verbs = { add: 'create', update: 'update', delete: 'delete', transfer: 'update' } as const

/** `setcreate` for a set that was added. */
export const ownEvent = ({ object, operation }: Pick<Happened, 'object' | 'operation'>): Emitted => ({
  name: object + verbs[operation],
})
