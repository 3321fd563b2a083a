// Who is told what happens: subscriptions, and the delivery of events to them.
export { type Delivery, startDelivery } from './delivery/delivery.ts'
export { withoutCredentials } from './record.ts'
export { subscriptionRoutes } from './routes.ts'
export { pause, subscribe } from './service.ts'
