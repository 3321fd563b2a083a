import type { LogRecord } from '../../platform/storage/index.ts'
import { eventsOf, type FeedEvent } from './bodies.ts'
import { isOfMany, withHost } from './renames.ts'

/** The number below which all events of the record have been dealt with when this one is next. */
export const nextIndex = (event: FeedEvent): number =>
  isOfMany(event) ? event.index + event.renamed.afterHost + 1 : event.index

/** The events of a record that are left when those below a number have been dealt with. */
export function eventsFrom(record: LogRecord, passed: number): readonly FeedEvent[] {
  const events = eventsOf(record)
  if (passed === 0) return events
  return events.flatMap((event) => {
    if (!isOfMany(event)) return event.index >= passed ? [event] : []
    const afterHost = Math.max(0, passed - event.index - 1)
    return [{ ...event, renamed: { ...event.renamed, afterHost } }]
  })
}

/** The event of a record that has a number. Whether its host still exists shows when it is sent. */
export function eventAt(record: LogRecord, index: number): FeedEvent | undefined {
  const events = eventsOf(record)
  const last = events.at(-1)
  if (!isOfMany(last) || index < last.index) return events[index]
  return index > last.index ? withHost(last, index - last.index) : undefined
}
