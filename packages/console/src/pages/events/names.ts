import type { feed } from '@mainline/contract'
import type { CatalogueEntry } from './questions.ts'

type Action = feed.EventAction
export const actions: readonly Action[] = ['create', 'update', 'delete']

const ofQuery = 'customquery:'
export const queryEvent = (id: string) => ofQuery + id
/** The id of the query in an event's name, if any. */
export const queryIn = (name: string): string | undefined =>
  name.startsWith(ofQuery) ? name.slice(ofQuery.length) : undefined

/** The events of an object: created, changed, deleted, and others. */
export interface EventGroup {
  readonly object: string
  readonly name: string
  readonly actions: ReadonlyMap<Action, CatalogueEntry>
  readonly others: readonly CatalogueEntry[]
}

/** By object: those of the main line in its order, then the others. The placeholder for saved queries is left out. */
export function groupsOf(entries: readonly CatalogueEntry[], line: readonly string[] = []): EventGroup[] {
  const byObject = Map.groupBy(
    entries.filter((entry) => queryIn(entry.event_name) === undefined),
    (entry) => entry.bk_obj_id,
  )
  const place = (object: string) => (line.includes(object) ? line.indexOf(object) : line.length)
  const objects = [...byObject].sort(([one], [other]) => place(one) - place(other))
  return objects.map(([object, ofObject]) => {
    const actionOf = (entry: CatalogueEntry) => actions.find((action) => entry.event_name === object + action)
    return {
      object,
      name: ofObject[0]?.bk_obj_name ?? object,
      actions: new Map(
        ofObject.flatMap((entry) => {
          const action = actionOf(entry)
          return action ? [[action, entry] as const] : []
        }),
      ),
      others: ofObject.filter((entry) => !actionOf(entry)),
    }
  })
}

/** Words for actions, other events, and queries, of which names are composed. */
interface NameWords {
  readonly actions: Readonly<Record<Action, string>>
  readonly special: Readonly<Record<string, string>>
  queryEvent(name: string): string
}

/** A readable name of an event: "Set created". */
export function sayEvent(
  name: string,
  groups: readonly EventGroup[],
  queries: readonly { id: string; name: string }[],
  words: NameWords,
): string {
  const query = queryIn(name)
  if (query !== undefined) return words.queryEvent(queries.find(({ id }) => id === query)?.name ?? query)
  for (const group of groups) {
    for (const [action, entry] of group.actions) {
      if (entry.event_name === name) return `${group.name} ${words.actions[action]}`
    }
    if (group.others.some((entry) => entry.event_name === name)) return `${group.name} ${words.special[name] ?? name}`
  }
  return name
}

export const namesIn = (form: string): string[] => form.split(',').filter(Boolean)
