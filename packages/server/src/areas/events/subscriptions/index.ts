// Subscriptions: who receives which events.
export { withoutCredentials } from './record.ts'
export { subscriptionRoutes } from './routes.ts'
export { pause, subscribe } from './service.ts'
