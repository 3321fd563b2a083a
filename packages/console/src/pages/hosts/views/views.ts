import { type DataOf, favourites } from '@mainline/contract'
import { ask, refreshAfter } from '../../../api/ask.ts'
import { call } from '../../../api/call.ts'
import type { Attribute } from '../../../forms/attributes.ts'
import {
  conditionsOf,
  type Filter,
  filterFrom,
  fromAddress,
  isComplete,
  type Kind,
  kinds,
  toAddress,
} from '../../../forms/filters.ts'
import type { HostView } from '../browsing.ts'
import { shortened, whole } from '../long.ts'

/** A search of hosts as it is stored: conditions as the interface documents them for favourites, and how the result is shown. */
interface Stored {
  readonly info: string
  readonly query_params: string
}

export interface SavedView {
  readonly id: string
  readonly name: string
  readonly view: HostView
}

type AttributesOf = (kind: Kind) => readonly Attribute[]

/** What a view shows, without the page that is open. */
const lasting = ({ q, sort, columns }: HostView) => ({
  q: whole(q ?? '') ?? '',
  sort: sort ?? '',
  columns: columns ?? '',
})

export const filtersIn = ({ where }: HostView): readonly Filter[] => fromAddress(whole(where ?? '')).filter(isComplete)

export const isSearch = (view: HostView): boolean => Boolean(view.q) || filtersIn(view).length > 0

export function toStored(view: HostView, attributes: AttributesOf): Stored {
  const conditions = conditionsOf(filtersIn(view), attributes)
  const flat = conditions.flatMap(({ bk_obj_id, condition }) => condition.map((each) => ({ bk_obj_id, ...each })))
  return { info: JSON.stringify(lasting(view)), query_params: JSON.stringify(flat) }
}

/** Of any client: unknown parts are ignored. */
export function fromStored({ info = '', query_params = '' }: Partial<Stored>): HostView {
  const { q, sort, columns } = parsed(info) as Partial<Record<keyof HostView, unknown>>
  const conditions = parsed(query_params)
  const filters = (Array.isArray(conditions) ? conditions : []).flatMap((each) => {
    const { bk_obj_id, field, operator, value } = each ?? {}
    const isKnown = kinds.includes(bk_obj_id) && typeof field === 'string' && typeof operator === 'string'
    return isKnown ? [filterFrom(bk_obj_id, field, operator, value)] : []
  })
  return {
    ...textIn('q', q),
    ...textIn('sort', sort),
    ...textIn('columns', columns),
    ...(filters.length > 0 && { where: shortened(toAddress(filters)) }),
  }
}

const textIn = <Key extends string>(key: Key, value: unknown) =>
  (typeof value === 'string' && value !== '' ? { [key]: shortened(value) } : {}) as { [K in Key]?: string }

function parsed(text: unknown): object {
  try {
    return Object(JSON.parse(String(text || '{}')))
  } catch {
    return {}
  }
}

const most = 100

/** The views that the user has saved, the most used ones first. */
export const savedViews = () => ({
  ...ask(favourites.searchFavourite, { body: { start: 0, limit: most, sort: '-count' } }),
  select: ({ info }: DataOf<typeof favourites.searchFavourite>): SavedView[] =>
    info.map(({ id = '', name = '', ...stored }) => ({ id, name, view: fromStored(stored) })),
})

const mostRecent = 30
const recentShown = 8

/** The latest searches of the user, each once. */
export const recentSearches = () => ({
  ...ask(favourites.searchHistory, { params: { start: 0, limit: mostRecent } }),
  select: ({ info }: DataOf<typeof favourites.searchHistory>): HostView[] =>
    [...new Set(info.map(({ content = '' }) => content))]
      .map((content) => fromStored(parsed(content)))
      .filter(isSearch)
      .slice(0, recentShown),
})

export const saveView = (name: string, stored: Stored) =>
  call(favourites.createFavourite, { body: { name, ...stored } })
export const deleteView = (id: string) => call(favourites.deleteFavourite, { params: { id } })

/** Counts a use, so that views that are used often come first. */
export async function noteUse(id: string): Promise<void> {
  await call(favourites.useFavourite, { params: { id } })
  await refreshAfter('views')
}

export async function noteSearch(stored: Stored): Promise<void> {
  await call(favourites.createHistory, { body: { content: JSON.stringify(stored) } })
  await refreshAfter('views')
}
