// Saved queries with subscriptions: detects hosts that enter or leave their results.
export { type Following, followQueries } from './following.ts'
export { followNamed, type KnownResults, knowingResults, objectsBehindNow, objectsBehindQueries } from './naming.ts'
export { isFollowed } from './store.ts'
