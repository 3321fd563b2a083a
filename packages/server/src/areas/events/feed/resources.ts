import { problem, rule } from '@mainline/contract'
import { nearest } from '../../../common/nearest.ts'
import type { Model } from '../../model/index.ts'
import type { Feed } from './feed.ts'
import { association, followed, identity, moved, queryIn, reset } from './names.ts'

/** Names of watchable resources that differ from the event kinds of subscriptions. */
const renamed = new Map([
  ['host_relation', moved],
  ['host_identifier', identity],
  ['inst_asst', association],
])
const resourceNames = new Map([...renamed].map(([resource, objType]) => [objType, resource]))

/** The resource of an event. */
export const resourceOf = (objType: string): string => resourceNames.get(objType) ?? objType

/** The event kind of a resource; an unknown one is refused with suggestions. */
export async function readResource(
  resource: string,
  model: Model,
  field: string,
  followsQuery: Feed['followsQuery'],
): Promise<string> {
  const query = queryIn(resource)
  if (query !== undefined) {
    if (await followsQuery(model.account, query)) return resource
    throw problem('unknown', { field, rule: rule('followedQuery') })
  }
  const known = [...followed(model), ...renamed.keys(), reset]
  if (known.includes(resource)) return renamed.get(resource) ?? resource
  throw problem('unknown', { field, rule: rule('didYouMean', { values: nearest(resource, known).join(', ') }) })
}
