// Sending the events of the log to subscriptions.
export { readConfirmation } from './attempt/confirm.ts'
export { type Addressee, writeBody } from './attempt/message.ts'
export { readReason, writeReason } from './attempt/reason.ts'
export { newSecret, readSecret, rotationOverlapMs } from './attempt/signature.ts'
export { type Delivery, startDelivery } from './delivery.ts'
export { keptAttempts } from './progress.ts'
export type { Subscription } from './subscription.ts'
