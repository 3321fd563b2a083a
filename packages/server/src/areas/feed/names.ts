import { feed, problem, rule } from '@mainline/contract'
import { nearest } from '../../platform/nearest.ts'
import type { Model } from '../model/index.ts'

export const actions = feed.eventActions
export type EventAction = feed.EventAction

/** A host has joined a module or left it. */
export const moved = 'moduletransfer'
/** Who a host is: where it stands, by name. Made when it is sent. */
export const identity = 'hostidentifier'

/** A host has entered the result of a saved query or left it: this, and the query's id. */
const customQuery = 'customquery:'
export const queryEvent = (id: string) => customQuery + id
/** The query that an event is about, if it is about one. */
export const queryIn = (name: string): string | undefined =>
  name.startsWith(customQuery) ? name.slice(customQuery.length) : undefined

const splitName = new RegExp(`^(.+)(${actions.join('|')})$`)

/** What an event is about, and what has happened to it where the name says so. */
export function partsOf(name: string): { kind: string; action: EventAction | undefined } {
  const [, kind, action] = (queryIn(name) === undefined && splitName.exec(name)) || []
  return { kind: kind ?? name, action: action as EventAction | undefined }
}

/** Objects whose instances have operations, and so events. */
export const followed = (model: Model): string[] => [...model.objects.keys()].filter((id) => id !== 'process')

/** Every event that can be subscribed to. */
export const eventNames = (model: Model): string[] => [
  ...followed(model).flatMap((object) => actions.map((action) => object + action)),
  moved,
  identity,
  queryEvent('<id>'),
]

/**
 * Reads a comma list of events: trimmed, each once. What is unknown is answered with what it might have meant; whether a
 * query is known is for others to say.
 */
export function readEventNames(text: string, model: Model): string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter(Boolean)
  if (names.length === 0) throw problem('unassigned', { field: 'subscription_form' })
  const known = eventNames(model)
  const unknown = names.find((name) => !known.includes(name) && queryIn(name) === undefined)
  if (unknown === undefined) return names
  throw problem('unknown', {
    field: unknown.slice(0, 100),
    rule: rule('didYouMean', { values: nearest(unknown, known).join(', ') }),
  })
}
