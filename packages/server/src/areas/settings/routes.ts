import { favourites, settings } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import { uniqueId } from '../../common/unique-id.ts'
import { type Caller, handle, type Route } from '../../http/route.ts'
import type { Storage } from '../../storage/index.ts'
import {
  createFavourite,
  deleteFavourite,
  findFavourite,
  showFavourite,
  updateFavourite,
  useFavourite,
} from './favourites.ts'
import { lastSearches, rememberSearch, showSearch } from './history.ts'
import { searchFavourites } from './search.ts'
import { defaultSetting, findSetting, saveSetting } from './setting.ts'

/** These changes leave no record in the log, but can be repeated: saving the same again changes nothing. Not so deleting and counting. */
const repeatable = { repeatable: true }

export function settingRoutes({ read, change }: Storage): Route[] {
  return [
    handle(settings.saveUserCustom, async ({ actor, body }) => {
      await change(actor, (tx) => saveSetting(tx, body), repeatable)
      return null
    }),
    handle(settings.searchUserCustom, ({ actor }) => findSetting(read, actor)),
    handle(settings.getUserDefaultCustom, async ({ actor }) => defaultSetting(actor.account)),
  ]
}

export function favouriteRoutes({ read, heavy, change }: Storage, zone: Zone): Route[] {
  const favourite = ({ actor, params }: { actor: Caller; params: { id: string } }) =>
    findFavourite(read, actor, params.id)

  return [
    handle(favourites.searchFavourite, async ({ actor, body }) => {
      // 200 of them may hold 25 MB, too much to read on the event loop.
      const { count, rows } = await searchFavourites(heavy, actor, body, zone)
      return { count, info: rows.map((row) => showFavourite(row, zone)) }
    }),
    handle(favourites.createFavourite, async ({ actor, body }) => {
      const id = uniqueId()
      return showFavourite(await change(actor, (tx) => createFavourite(tx, id, body), repeatable), zone)
    }),
    handle(
      favourites.updateFavourite,
      async ({ actor, params, body }) => {
        await change(actor, (tx) => updateFavourite(tx, params.id, body), repeatable)
        return 'success' as const
      },
      favourite,
    ),
    handle(favourites.deleteFavourite, async ({ actor, params }) => {
      await change(actor, (tx) => deleteFavourite(tx, params.id))
      return 'success' as const
    }),
    handle(favourites.useFavourite, ({ actor, params }) => change(actor, (tx) => useFavourite(tx, params.id))),
    handle(favourites.createHistory, async ({ actor, body }) => {
      const id = uniqueId()
      return showSearch(await change(actor, (tx) => rememberSearch(tx, id, body.content), repeatable), zone)
    }),
    handle(favourites.searchHistory, async ({ actor, params }) => {
      const { count, rows } = await lastSearches(heavy, actor, params.start, params.limit)
      return { count, info: rows.map((row) => showSearch(row, zone)) }
    }),
  ]
}
