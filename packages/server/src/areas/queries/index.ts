// Saved, named queries over the hosts of a business.
export { queryRoutes } from './routes.ts'
