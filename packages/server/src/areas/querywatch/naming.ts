import { problem, rule } from '@mainline/contract'
import type { Tx } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { queryEvent, queryIn } from '../feed/index.ts'
import { type QueryRow, queryOf } from '../queries/index.ts'
import { heldResult } from './result.ts'
import { addMembers, allMembers, alterWatch, removeMembers } from './store.ts'

/** Queries that one subscription may newly name: each is gone through before it is answered. */
const mostQueries = 20

/** Has the queries among these events followed from now on. Hosts that are in their results already are not told of. */
export async function followNamed(tx: Tx, bizId: number, names: readonly string[], zone: Zone): Promise<void> {
  // In one order, so that two that name the same queries wait for each other only once.
  const ids = names.flatMap((name) => queryIn(name) ?? []).sort()
  if (ids.length > mostQueries) throw problem('tooMany', { what: 'subscription_form', limit: mostQueries })
  for (const id of ids) await followOne(tx, bizId, id, zone)
}

async function followOne(tx: Tx, bizId: number, id: string, zone: Zone): Promise<void> {
  // Before anything else is read: whatever is not seen below stands behind it in the log, and is taken into account then.
  const { position } = await tx.selectFrom('log_head').select('position').executeTakeFirstOrThrow()
  const query = await queryOf(tx, tx.actor.account, id)
  if (!query || (bizId !== 0 && query.biz_id !== bizId)) {
    throw problem('unknown', { field: queryEvent(id).slice(0, 100), rule: rule('savedQuery') })
  }
  if ((await joinWatch(tx, query, position)) === 'followed') return
  await alterWatch(tx, id, { name: query.name, position, ended: 0 })
  const result = await heldResult(tx, query, zone)
  const found = new Set(await result?.hostIds())
  const members = new Set(await allMembers(tx, id))
  await removeMembers(tx, id, [...members.difference(found)])
  await addMembers(tx, id, [...found.difference(members)])
}

/** Holds the watch of a query, so that it cannot end before this change does. One that has ended may still have members. */
async function joinWatch(tx: Tx, { id, account, biz_id, name }: QueryRow, position: number) {
  for (;;) {
    const made = await tx
      .insertInto('query_watch')
      .values({ query: id, account, biz_id, name, position, ended: 0 })
      .onConflict((conflict) => conflict.column('query').doNothing())
      .returning('query')
      .executeTakeFirst()
    if (made) return 'new'
    const there = await tx
      .selectFrom('query_watch')
      .select('ended')
      .where('query', '=', id)
      .$if(tx.dialect.locksRows, (each) => each.forUpdate())
      .executeTakeFirst()
    // Gone between the two: then it is made anew.
    if (there) return there.ended ? 'ended' : 'followed'
  }
}
