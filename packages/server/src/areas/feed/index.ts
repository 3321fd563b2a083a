// The log as events: what can be told, what is told, and following the end of the log.
export { bodyOf, completed, type Difference, eventsOf, type FeedEvent, type Identities, recordedAs } from './bodies.ts'
export { type EventAction, eventNames, partsOf, queryEvent, queryIn, readEventNames } from './names.ts'
export { eventAt, eventsFrom, nextIndex } from './numbered.ts'
export { expand, isOfMany, mayConcern, type OfMany } from './renames.ts'
export { feedRoutes } from './routes.ts'
export { createTail, type Stretch, type Tail } from './tail.ts'
export type { Feed } from './watch.ts'
