import type { Selectable } from 'kysely'
import { insertMany, type Reader, type Tables, type Tx } from '../../../storage/index.ts'
import { queryEvent } from '../../events/feed/index.ts'

/** A watched query: its position in the log, and whether it has ended. */
export type Watch = Selectable<Tables['query_watch']>

export const findWatches = (reader: Reader): Promise<Watch[]> =>
  reader.selectFrom('query_watch').selectAll().orderBy('query').execute()

/** Locks the watch; undefined while another process holds it. */
export const holdWatch = (tx: Tx, query: string): Promise<Watch | undefined> =>
  tx
    .selectFrom('query_watch')
    .selectAll()
    .where('query', '=', query)
    .$if(tx.dialect.locksRows, (each) => each.forUpdate().skipLocked())
    .executeTakeFirst()

export const alterWatch = (tx: Tx, query: string, changes: Partial<Pick<Watch, 'name' | 'position' | 'ended'>>) =>
  tx.updateTable('query_watch').set(changes).where('query', '=', query).execute()

/** Whether a subscription receives events of this query. */
export async function isFollowed(reader: Reader, account: string, query: string): Promise<boolean> {
  const found = await reader
    .selectFrom('query_watch')
    .select('query')
    .where('query', '=', query)
    .where('account', '=', account)
    .where('ended', '=', 0)
    .executeTakeFirst()
  return found !== undefined
}

/** Whether a subscription names the query. All ids have the same length, so none is a substring of another. */
export async function isNamed(reader: Reader, { account, query }: Watch): Promise<boolean> {
  const found = await reader
    .selectFrom('subscription')
    .select('id')
    .where('account', '=', account)
    .where((eb) => reader.dialect.contains(eb.ref('form'), queryEvent(query)))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Members read per statement. */
const membersPerRead = 100_000

export async function allMembers(reader: Reader, query: string): Promise<number[]> {
  const members: number[] = []
  for (let full = true; full; ) {
    const rows = await reader
      .selectFrom('query_member')
      .select('host_id')
      .where('query', '=', query)
      .where('host_id', '>', members.at(-1) ?? 0)
      .orderBy('host_id')
      .limit(membersPerRead)
      .execute()
    for (const row of rows) members.push(row.host_id)
    full = rows.length === membersPerRead
  }
  return members
}

export async function membersAmong(reader: Reader, query: string, hostIds: readonly number[]): Promise<number[]> {
  const rows = await reader
    .selectFrom('query_member')
    .select('host_id')
    .where('query', '=', query)
    .where((eb) => reader.dialect.among(eb.ref('host_id'), hostIds, 'integer'))
    .orderBy('host_id')
    .execute()
  return rows.map((row) => row.host_id)
}

export const addMembers = (tx: Tx, query: string, hostIds: readonly number[]) =>
  insertMany(
    tx,
    'query_member',
    hostIds.map((host_id) => ({ query, host_id })),
  )

export const removeMembers = (tx: Tx, query: string, hostIds: readonly number[]) =>
  tx
    .deleteFrom('query_member')
    .where('query', '=', query)
    .where((eb) => tx.dialect.among(eb.ref('host_id'), hostIds, 'integer'))
    .execute()

/** Members removed per change; other changes run in between. */
const membersPerRemoval = 5_000

/** Removes some members of a query without subscriptions, and finally the watch. False when nothing is left to remove. */
export async function removeSome(tx: Tx, query: string): Promise<boolean> {
  const held = await holdWatch(tx, query)
  if (!held?.ended) return false
  const some = tx.selectFrom('query_member').select('host_id').where('query', '=', query).limit(membersPerRemoval)
  const removed = await tx
    .deleteFrom('query_member')
    .where('query', '=', query)
    .where('host_id', 'in', some)
    .executeTakeFirst()
  if (removed.numDeletedRows > 0n) return true
  await tx.deleteFrom('query_watch').where('query', '=', query).execute()
  return false
}
