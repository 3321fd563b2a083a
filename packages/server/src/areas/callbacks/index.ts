// Trying a callback out before events are sent to it.
export { callbackRoutes } from './routes.ts'
