import type { Actor } from '../../../storage/index.ts'
import { type MissingSearchGrant, type Readers, refuseUnsearchable } from '../../privileges/index.ts'
import type { FeedEvent } from './event.ts'
import { association, identity, moved, partsOf, queryIn, reset } from './names.ts'

/**
 * The object whose search privilege is required to receive events of a kind. Undefined for events that contain only what any caller may
 * read: placements and resets; for those of associations, which require it of both of their objects; and for results of queries, which
 * require it of the objects that decide them.
 */
export const objectToSearch = (kind: string): string | undefined =>
  [moved, identity, association, reset].includes(kind) || queryIn(kind) !== undefined ? undefined : kind

/** As `objectToSearch`, for an event. Instances in a business are on the main line, also if their level was removed since. */
export function objectsBehind({
  objType,
  businessId,
  data: [difference],
  searched = [],
}: FeedEvent): readonly string[] {
  if (objType === association) {
    const about = difference?.cur_data ?? difference?.pre_data
    return [about?.bk_obj_id, about?.bk_asst_obj_id].map(String)
  }
  const object = businessId === 0 ? objectToSearch(objType) : undefined
  return object === undefined ? searched : [object, ...searched]
}

/** The objects whose search privilege a subscription's form requires. */
export const objectsNamed = (names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => objectToSearch(partsOf(name).kind) ?? [])),
]

/** Events contain the data of instances, so their receivers need the right to search these. Judged by the caller's current privileges. */
export function receiving(storage: Readers, lacks: MissingSearchGrant) {
  return {
    refuse: (actor: Actor, objects: Iterable<string>) => refuseUnsearchable(storage, actor, objects, lacks),
    async permitted<Seen extends { readonly event: FeedEvent }>(actor: Actor, seen: readonly Seen[]): Promise<Seen[]> {
      const behind = new Set(seen.flatMap(({ event }) => objectsBehind(event)))
      const denied = new Set<string>()
      for (const object of behind) if (await lacks(storage, actor, object)) denied.add(object)
      return seen.filter(({ event }) => !objectsBehind(event).some((object) => denied.has(object)))
    },
  }
}
