import type { LogRecord } from '../../../storage/index.ts'
import { eventsOf } from './bodies.ts'
import type { FeedEvent } from './event.ts'
import { isOfMany, withHost } from './renames.ts'

/** The index of the event within its record: all events with a lower index are settled when it is next. */
export const nextIndex = (event: FeedEvent): number =>
  isOfMany(event) ? event.index + event.renamed.afterHost + 1 : event.index

/** The events of a record from an index on. */
export function eventsFrom(record: LogRecord, passed: number): readonly FeedEvent[] {
  const events = eventsOf(record)
  if (passed === 0) return events
  return events.flatMap((event) => {
    if (!isOfMany(event)) return event.index >= passed ? [event] : []
    const afterHost = Math.max(0, passed - event.index - 1)
    return [{ ...event, renamed: { ...event.renamed, afterHost } }]
  })
}

/** The event of a record with an index. Its host may no longer exist, which is checked when it is sent. */
export function eventAt(record: LogRecord, index: number): FeedEvent | undefined {
  const events = eventsOf(record)
  const last = events.at(-1)
  if (!isOfMany(last) || index < last.index) return events[index]
  return index > last.index ? withHost(last, index - last.index) : undefined
}
