import { problem, rule } from '@mainline/contract'
import { nearest } from '../../platform/nearest.ts'
import type { Model } from '../model/index.ts'
import { followed, identity, moved, queryIn } from './names.ts'
import type { Feed } from './watch.ts'

/** What can be watched goes by other names than what can be subscribed to, where it is no object. */
const renamed = new Map([
  ['host_relation', moved],
  ['host_identifier', identity],
])
const resourceNames = new Map([...renamed].map(([resource, objType]) => [objType, resource]))

/** The resource that an event is of. */
export const resourceOf = (objType: string): string => resourceNames.get(objType) ?? objType

/** The kind of event that a resource is about; an unknown one is answered with what it might have meant. */
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
  const known = [...followed(model), ...renamed.keys()]
  if (known.includes(resource)) return renamed.get(resource) ?? resource
  throw problem('unknown', { field, rule: rule('didYouMean', { values: nearest(resource, known).join(', ') }) })
}
