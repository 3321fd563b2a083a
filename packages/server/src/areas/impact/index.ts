// Relations of an instance: its neighbours, and everything reachable from it.
export { impactRoutes } from './routes.ts'
