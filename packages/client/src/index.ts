// The interface as a typed client over fetch, for Node and browsers. Everything it knows of the operations is the contract's.
export type { Asked } from './asked.ts'
export { type Client, type ClientOptions, createClient, headersOf } from './client.ts'
export { Failure, type FailureKind, failureOf, unreachable } from './failure.ts'
export type { AskedPages, Paged, RowOf } from './paging.ts'
export type { AskedStream } from './stream.ts'
export { type Delivered, verifyWebhook, WebhookRefused } from './webhook.ts'
