// The log as events: names, bodies, rights, and following the end of the log.

export { bodyOf, completed, eventsOf, recordedAs } from './bodies.ts'
export type { Difference, FeedEvent, Identities } from './event.ts'
export {
  EventCondition,
  type EventFilterBody,
  type EventMatcher,
  readEventFilter,
  showEventFilter,
} from './event-condition.ts'
export type { Feed } from './feed.ts'
export { type EventAction, eventNames, isReset, partsOf, queryEvent, queryIn, readEventNames, reset } from './names.ts'
export { eventAt, eventsFrom, nextIndex } from './numbered.ts'
export { expand, isOfMany, mayConcern, type OfMany } from './renames.ts'
export { objectsBehind, objectsNamed } from './rights.ts'
export { feedRoutes } from './routes.ts'
export { type Selection, selectionOf } from './selection.ts'
export type { Stretch } from './tail/log-pages.ts'
export { createTail, type Tail } from './tail/tail.ts'
