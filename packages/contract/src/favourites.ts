import Type from 'typebox'
import { anyone } from './allow.ts'
import { demo } from './demo.ts'
import { endpoint } from './endpoint.ts'
import { ConditionBody, Found, Limit, pageOfPath, Sort, Start, Success, Text, Timestamp } from './vocabulary.ts'

export const FavouriteRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  info: Type.String(),
  query_params: Type.String(),
  is_default: Type.Integer(),
  count: Type.Integer({ description: 'how often it has been used' }),
  user: Type.String(),
  create_time: Timestamp,
  last_time: Timestamp,
})

export const HistoryRecord = Type.Object({
  id: Type.String(),
  content: Type.String(),
  user: Type.String(),
  create_time: Timestamp,
})

const Name = Type.String({ minLength: 1, description: 'unique among the favourites of the caller' })
const parts = {
  info: Type.Optional(Type.String({ description: 'search terms, as stored by the console' })),
  query_params: Type.Optional(Type.String({ description: 'search parameters, as stored by the console' })),
  is_default: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: '1 or 2; default 2' }),
  ),
}
const search = {
  name: 'Linux in Frankfurt',
  info: '{"exact_search":true,"bk_biz_id":2}',
  query_params: '[{"bk_obj_id":"host","field":"bk_os_type","operator":"$eq","value":"1"}]',
}
const one = { id: Text }
const example = { params: { id: demo.favourites[0] } }

export const searchFavourite = endpoint({
  name: 'search_host_favorite',
  method: 'POST',
  effect: 'read',
  path: '/hosts/favorites/search',
  area: 'Hosts',
  summary: 'Search the favourite host searches of the caller.',
  allow: anyone,
  body: Type.Object({
    condition: Type.Optional(ConditionBody),
    start: Type.Optional(Start),
    limit: Type.Optional(Limit),
    sort: Type.Optional(Sort),
  }),
  data: Found(FavouriteRecord),
  example: { body: { condition: {}, start: 0, limit: 10, sort: '-count' } },
})

export const createFavourite = endpoint({
  name: 'create_host_favorite',
  method: 'POST',
  effect: 'write',
  path: '/hosts/favorites',
  area: 'Hosts',
  summary: 'Save a host search as a favourite.',
  allow: anyone,
  body: Type.Object({ name: Name, ...parts }),
  refuses: ['duplicate', 'tooMany', 'outOfBounds'],
  data: FavouriteRecord,
  example: { body: { ...search, is_default: 2 } },
})

export const updateFavourite = endpoint({
  name: 'update_host_favorite',
  method: 'PUT',
  effect: 'write',
  path: '/hosts/favorites/:id',
  area: 'Hosts',
  summary: 'Update a favourite.',
  allow: anyone,
  params: one,
  body: Type.Object({ name: Type.Optional(Name), ...parts }),
  refuses: ['notFound', 'outOfBounds', 'duplicate'],
  data: Success,
  example: { ...example, body: { name: 'Windows in Frankfurt' } },
})

export const deleteFavourite = endpoint({
  name: 'delete_host_favorite',
  method: 'DELETE',
  effect: 'write',
  path: '/hosts/favorites/:id',
  area: 'Hosts',
  summary: 'Delete a favourite.',
  allow: anyone,
  params: one,
  refuses: ['notFound'],
  data: Success,
  example: { params: { id: demo.favourites[1] } },
})

export const useFavourite = endpoint({
  name: 'increase_host_favorite',
  method: 'PUT',
  effect: 'write',
  path: '/hosts/favorites/:id/incr',
  area: 'Hosts',
  summary: 'Increment the usage count of a favourite.',
  allow: anyone,
  params: one,
  refuses: ['notFound'],
  data: Type.Object({ id: Type.String(), count: Type.Integer() }),
  example,
})

export const createHistory = endpoint({
  name: 'create_host_history',
  method: 'POST',
  effect: 'write',
  path: '/hosts/history',
  area: 'Hosts',
  summary: 'Save a host search to the history of the caller.',
  allow: anyone,
  body: Type.Object({ content: Type.String({ minLength: 1, description: 'the search, as stored by the console' }) }),
  refuses: ['outOfBounds'],
  data: HistoryRecord,
  example: { body: { content: search.query_params } },
})

export const searchHistory = endpoint({
  name: 'search_host_history',
  method: 'GET',
  effect: 'read',
  path: '/hosts/history/:start/:limit',
  area: 'Hosts',
  summary: 'The latest host searches of the caller, newest first.',
  allow: anyone,
  params: pageOfPath,
  data: Found(HistoryRecord),
  example: { params: { start: 0, limit: 10 } },
})
