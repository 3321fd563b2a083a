// Saved, named queries over the hosts of a business.
export { joined, type Standing } from './data.ts'
export { type Result, resultOf } from './result.ts'
export { queryRoutes } from './routes.ts'
export { createQuery } from './service.ts'
export { type QueryRow, queryOf } from './store.ts'
export { type Walk, walkQuery } from './walk.ts'
