import { type BodyOf, type favourites, problem, rule } from '@mainline/contract'
import type { Selectable } from 'kysely'
import { isKeyOf } from '../../common/keys.ts'
import type { Zone } from '../../common/time.ts'
import { type Actor, type Reader, refuse, type Tables, type Tx } from '../../storage/index.ts'
import { nameText, plainText } from '../model/index.ts'
import { holdOwner, ownedBy } from './owner.ts'

type Row = Selectable<Tables['favourite']>
export type Favourite = Omit<Row, 'id' | 'account'>
type Sent = BodyOf<typeof favourites.updateFavourite>
type Parts = Pick<Row, 'name' | 'info' | 'query_params' | 'is_default'>

const mostFavourites = 200
const longestText = 64 * 1024
const notDefault = 2

export async function createFavourite(tx: Tx, id: string, sent: Sent & { name: string }): Promise<Favourite> {
  await holdOwner(tx)
  const parts = changed({ name: '', info: '', query_params: '', is_default: notDefault }, sent)
  const times = { create_time: tx.now, last_time: tx.now }
  // Not in the log, so the change is run again if its commit was cut off: its own row may exist already.
  const insert = tx
    .insertInto('favourite')
    .values({ favourite_id: id, ...ownedBy(tx.actor), ...parts, uses: 1, ...times })
    .onConflict((at) => at.column('favourite_id').doNothing())
    .execute()
  await refuse(insert, { favourite_name: nameTaken })
  const { count } = await selectFavourites(tx, tx.actor)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count > mostFavourites) throw problem('tooMany', { what: rule('favorites'), limit: mostFavourites })
  return findFavourite(tx, tx.actor, id)
}

export async function updateFavourite(tx: Tx, id: string, sent: Sent): Promise<void> {
  await holdOwner(tx)
  const row = await findFavourite(tx, tx.actor, id)
  const parts = changed(row, sent)
  if (Object.entries(parts).every(([part, value]) => isKeyOf(row, part) && row[part] === value)) return
  const update = tx
    .updateTable('favourite')
    .set({ ...parts, last_time: tx.now })
    .where('favourite_id', '=', id)
    .execute()
  await refuse(update, { favourite_name: nameTaken })
}

export async function deleteFavourite(tx: Tx, id: string): Promise<void> {
  await holdOwner(tx)
  await findFavourite(tx, tx.actor, id)
  await tx.deleteFrom('favourite').where('favourite_id', '=', id).execute()
}

/** Counts one more use; this is no modification, so the time of the last change stays. */
export async function useFavourite(tx: Tx, id: string): Promise<{ id: string; count: number }> {
  await holdOwner(tx)
  const count = (await findFavourite(tx, tx.actor, id)).uses + 1
  await tx.updateTable('favourite').set({ uses: count }).where('favourite_id', '=', id).execute()
  return { id, count }
}

/** The caller's own favourite; one of another user is not found. */
export async function findFavourite(reader: Reader, actor: Actor, id: string): Promise<Favourite> {
  const found = await selectFavourites(reader, actor).selectAll().where('favourite_id', '=', id).executeTakeFirst()
  if (!found) throw problem('notFound')
  return found
}

export const selectFavourites = (reader: Reader, actor: Actor) => {
  const { account, owner } = ownedBy(actor)
  return reader.selectFrom('favourite').where('account', '=', account).where('owner', '=', owner)
}

export const showFavourite = (row: Favourite, zone: Zone) => ({
  id: row.favourite_id,
  name: row.name,
  info: row.info,
  query_params: row.query_params,
  is_default: row.is_default,
  count: row.uses,
  user: row.owner,
  create_time: zone.write(row.create_time),
  last_time: zone.write(row.last_time),
})

/** The sent fields over the previous values. */
function changed(row: Parts, { name, info, query_params, is_default }: Sent): Parts {
  const text = (field: string, sent: string | undefined, stored: string) =>
    sent === undefined ? stored : plainText(field, sent, longestText)
  return {
    name: name === undefined ? row.name : nameText('name', name),
    info: text('info', info, row.info),
    query_params: text('query_params', query_params, row.query_params),
    is_default: is_default ?? row.is_default,
  }
}

const nameTaken = () => problem('duplicate', { what: 'name' })
