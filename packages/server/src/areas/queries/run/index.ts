// Saved, named queries over the hosts of a business.
export { type HostInPlace, joined } from './data.ts'
export type { QueryReading, QueryRights } from './info.ts'
export { objectsBehindQuery, type Result, resultOf } from './result.ts'
export { queryRoutes } from './routes.ts'
export { createQuery, deleteQuery, restoreQuery, rewriteQuery } from './service.ts'
export { type QueryRow, queryOf } from './store.ts'
export { type Walk, walkQuery } from './walk.ts'
