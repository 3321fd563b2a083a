import type { Selectable } from 'kysely'
import type { Zone } from '../../common/time.ts'
import type { Actor, Reader, Tables, Tx } from '../../storage/index.ts'
import { plainText } from '../model/index.ts'
import { holdOwner, ownedBy } from './owner.ts'

type Search = Selectable<Tables['search_history']>

const mostSearches = 200
const longestContent = 64 * 1024

/** Saves a search, and removes the oldest in the same change. */
export async function rememberSearch(tx: Tx, id: string, content: string): Promise<Search> {
  await holdOwner(tx)
  const text = plainText('content', content, longestContent)
  // As with favourites: a change that is run again finds its own row.
  await tx
    .insertInto('search_history')
    .values({ search_id: id, ...ownedBy(tx.actor), content: text, create_time: tx.now })
    .onConflict((at) => at.column('search_id').doNothing())
    .execute()
  const own = selectSearches(tx, tx.actor)
  const forgotten = await own.select('id').orderBy('id', 'desc').offset(mostSearches).limit(1).executeTakeFirst()
  if (forgotten) {
    const { account, owner } = ownedBy(tx.actor)
    await tx
      .deleteFrom('search_history')
      .where('account', '=', account)
      .where('owner', '=', owner)
      .where('id', '<=', forgotten.id)
      .execute()
  }
  return own.selectAll().where('search_id', '=', id).executeTakeFirstOrThrow()
}

export async function lastSearches(reader: Reader, actor: Actor, start: number, limit: number) {
  const own = selectSearches(reader, actor)
  const [{ count }, rows] = await Promise.all([
    own.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    own.selectAll().orderBy('id', 'desc').offset(start).limit(limit).execute(),
  ])
  return { count, rows }
}

export const showSearch = (row: Search, zone: Zone) => ({
  id: row.search_id,
  content: row.content,
  user: row.owner,
  create_time: zone.write(row.create_time),
})

const selectSearches = (reader: Reader, actor: Actor) => {
  const { account, owner } = ownedBy(actor)
  return reader.selectFrom('search_history').where('account', '=', account).where('owner', '=', owner)
}
