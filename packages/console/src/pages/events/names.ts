import type { feed } from '@mainline/contract'
import type { CatalogueEntry } from './questions.ts'

type Action = feed.EventAction
export const actions: readonly Action[] = ['create', 'update', 'delete']

const ofQuery = 'customquery:'
export const queryEvent = (id: string) => ofQuery + id
/** The query that an event is about, if it is about one. */
export const queryIn = (name: string): string | undefined =>
  name.startsWith(ofQuery) ? name.slice(ofQuery.length) : undefined

/** The events of one object: created, changed, deleted, and what else may happen to it. */
export interface EventGroup {
  readonly object: string
  readonly name: string
  readonly actions: ReadonlyMap<Action, CatalogueEntry>
  readonly others: readonly CatalogueEntry[]
}

/** By object: those of the main line in its order, then all others. What stands for every saved query is left out. */
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

/** What names are made of: the words for actions, for what else happens, and for queries. */
export interface NameWords {
  readonly actions: Readonly<Record<Action, string>>
  readonly special: Readonly<Record<string, string>>
  queryEvent(name: string): string
}

/** An event as people would say it: "Set created". */
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
