// A typed client of the API over fetch, for Node and browsers. Operations are derived from the contract.
export type { Asked } from './asked.ts'
export { type Caller, type ClientOptions, createCaller, headersOf, type WithRevision } from './caller.ts'
export { type Client, createClient } from './client.ts'
export { Failure, type FailureKind, failureOf, unreachable } from './failure.ts'
export type { AskedPages, Paged, RowOf } from './paging.ts'
export type { AskedStream } from './stream.ts'
export { type Delivered, verifyWebhook, WebhookRefused } from './webhook.ts'
