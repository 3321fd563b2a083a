import { type BodyOf, type favourites, problem } from '@mainline/contract'
import type { Selectable } from 'kysely'
import { type Actor, type Reader, refuse, type Tables, type Tx } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { nameText, plainText } from '../model/index.ts'
import { holdOwner, ownedBy } from './owner.ts'

type Row = Selectable<Tables['favourite']>
export type Favourite = Omit<Row, 'id' | 'account'>
type Sent = BodyOf<typeof favourites.updateFavourite>
type Parts = Pick<Row, 'name' | 'info' | 'query_params' | 'is_default'>

export const mostFavourites = 200
const longestText = 64 * 1024
const notDefault = 2

export async function createFavourite(tx: Tx, id: string, sent: Sent & { name: string }): Promise<Favourite> {
  await holdOwner(tx)
  const parts = changed({ name: '', info: '', query_params: '', is_default: notDefault }, sent)
  const times = { create_time: tx.now, last_time: tx.now }
  // Without a record in the log, a change whose commit was cut off is run again: then its own row is there already.
  const insert = tx
    .insertInto('favourite')
    .values({ favourite_id: id, ...ownedBy(tx.actor), ...parts, uses: 1, ...times })
    .onConflict((at) => at.column('favourite_id').doNothing())
    .execute()
  await refuse(insert, { favourite_name: nameTaken })
  const { count } = await selectFavourites(tx, tx.actor)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count > mostFavourites) throw problem('tooMany', { what: 'favorites', limit: mostFavourites })
  return findFavourite(tx, tx.actor, id)
}

export async function updateFavourite(tx: Tx, id: string, sent: Sent): Promise<void> {
  await holdOwner(tx)
  const row = await findFavourite(tx, tx.actor, id)
  const parts = changed(row, sent)
  if (Object.entries(parts).every(([part, value]) => row[part as keyof Parts] === value)) return
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

/** Counts one more use; how often it was used says nothing about when it was changed. */
export async function useFavourite(tx: Tx, id: string): Promise<{ id: string; count: number }> {
  await holdOwner(tx)
  const count = (await findFavourite(tx, tx.actor, id)).uses + 1
  await tx.updateTable('favourite').set({ uses: count }).where('favourite_id', '=', id).execute()
  return { id, count }
}

/** The caller's own one; anybody else's is as good as none. */
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

/** What was sent, over the previous values. */
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
