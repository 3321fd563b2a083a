import { feed, problem, rule } from '@mainline/contract'
import { nearest } from '../../../common/nearest.ts'
import { associationEvent } from '../../associations/index.ts'
import type { Model } from '../../model/index.ts'

export const actions = feed.eventActions
export type EventAction = feed.EventAction

/** A host joined or left a module. */
export const moved = 'moduletransfer'
/** The identity of a host with the names of its modules, sets and business; looked up when it is sent. */
export const identity = 'hostidentifier'

/** Two instances were associated, or are no longer. */
export const association = associationEvent

/** Events about the relation of two records. */
export const isRelation = (name: string): boolean => name === moved || name === association

/** The database has gone back to an earlier state; sent to every subscriber, whatever its form. */
export const reset = 'history'
export const isReset = ({ name }: { readonly name: string }): boolean => name === reset

/** A host entered or left the result of a saved query; followed by the query's id. */
const customQuery = 'customquery:'
export const queryEvent = (id: string) => customQuery + id
/** The id of the query in an event's name, if any. */
export const queryIn = (name: string): string | undefined =>
  name.startsWith(customQuery) ? name.slice(customQuery.length) : undefined

const splitName = new RegExp(`^(.+)(${actions.join('|')})$`)

/** Splits a name into its kind and, if it has one, its action. */
export function partsOf(name: string): { kind: string; action: EventAction | undefined } {
  const [, kind, action] = (queryIn(name) === undefined && splitName.exec(name)) || []
  return { kind: kind ?? name, action: actions.find((each) => each === action) }
}

/** Objects whose instances have events. */
export const followed = (model: Model): string[] => [...model.objects.keys()].filter((id) => id !== 'process')

/** Every event that can be subscribed to. */
export const eventNames = (model: Model): string[] => [
  ...followed(model).flatMap((object) => actions.map((action) => object + action)),
  moved,
  identity,
  association,
  reset,
  queryEvent('<id>'),
]

/**
 * Reads a comma list of event names: trimmed, without duplicates. An unknown name is refused with suggestions; whether a query exists is
 * checked elsewhere.
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
