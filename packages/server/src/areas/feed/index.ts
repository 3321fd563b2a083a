// The log as events: what can be told, what is told, and following the end of the log.
export { bodyOf, completed, type Difference, eventsOf, type FeedEvent, type IdentityOf, recordedAs } from './bodies.ts'
export { type EventAction, eventNames, partsOf, queryEvent, queryIn, readEventNames } from './names.ts'
export { feedRoutes } from './routes.ts'
export { createTail, type Stretch, type Tail } from './tail.ts'
export type { Feed } from './watch.ts'
