// Sending the events of the log to subscriptions.
export { readConfirmation } from './confirm.ts'
export { type Delivery, startDelivery } from './delivery.ts'
export { keptAttempts } from './progress.ts'
export { readReason, writeReason } from './reason.ts'
export { newSecret, readSecret, rotationOverlapMs } from './signature.ts'
export type { Subscription } from './subscription.ts'
