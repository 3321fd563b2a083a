// The operations of all areas, wired to the platform.

import type { Endpoint } from '@mainline/contract'
import { associationRoutes } from './areas/associations/index.ts'
import { auditRoutes } from './areas/audit/index.ts'
import { callbackRoutes } from './areas/events/callbacks/index.ts'
import type { Delivery } from './areas/events/delivery/index.ts'
import { feedRoutes, type Identities, queryEvent, type Tail } from './areas/events/feed/index.ts'
import { subscriptionRoutes } from './areas/events/subscriptions/index.ts'
import type { PastViews } from './areas/history/past/index.ts'
import { timelineRoutes } from './areas/history/timeline/index.ts'
import { undoRoutes } from './areas/history/undo/index.ts'
import { hostRoutes } from './areas/hosts/index.ts'
import { impactRoutes } from './areas/impact/index.ts'
import { integrationRoutes } from './areas/integrations/index.ts'
import { modelRoutes } from './areas/model/index.ts'
import {
  hiddenObjects,
  missingDeleteGrant,
  missingEditGrant,
  missingForChange,
  missingSearchGrant,
  privilegeRoutes,
} from './areas/privileges/index.ts'
import { queryRoutes } from './areas/queries/run/index.ts'
import { isFollowed, objectsBehindNow } from './areas/queries/watch/index.ts'
import { favouriteRoutes, settingRoutes } from './areas/settings/index.ts'
import { businessRoutes, instanceRoutes, moduleRoutes, setRoutes, topologyRoutes } from './areas/topology/index.ts'
import { transferRoutes } from './areas/transfer/index.ts'
import type { ServeConfig } from './common/config.ts'
import type { Dialect } from './http/dialect.ts'
import type { PastRoutes } from './http/operation/guards.ts'
import type { Route } from './http/route.ts'
import { type Identification, sessionRoutes } from './identity/index.ts'
import type { Outbound } from './outbound/index.ts'
import type { Storage } from './storage/index.ts'

export interface RouteParts {
  readonly storage: Storage
  readonly tail: Tail
  readonly outbound: Outbound
  readonly identification: Identification
  readonly delivery: Delivery
  readonly identities: Identities
  readonly dialect: Dialect
  readonly views: PastViews
}

type RouteSettings = Pick<ServeConfig, 'timezone' | 'admins' | 'maxLevels'>

/** What the operations on the estate are wired with. */
interface EstateParts extends Pick<RouteParts, 'storage' | 'outbound' | 'dialect'> {
  /** All endpoints of the service, for which verdicts can be explained. */
  readonly operations: () => readonly Endpoint[]
  /** The storage by which callers are judged: the present one, also where the past is read. */
  readonly present: Storage
}

/** The operations that read the estate, among them all that can do so as of a moment of the past. */
function estateRoutes(
  { storage, outbound, dialect, operations, present }: EstateParts,
  { timezone, admins, maxLevels }: RouteSettings,
): Route[] {
  const { identifiers, groupIdentifiers, savedQueries } = dialect
  const reading = { zone: timezone, ...savedQueries }
  const lacks = missingEditGrant(admins)
  const [toSearch, toHide] = [missingSearchGrant(admins), hiddenObjects(admins)]
  const lacksSearch: typeof toSearch = (_readers, ...asked) => toSearch(present, ...asked)
  const hidden: typeof toHide = (_readers, ...asked) => toHide(present, ...asked)
  return [
    ...businessRoutes(storage, timezone),
    ...topologyRoutes(storage, timezone, { most: maxLevels, identifiers }),
    ...setRoutes(storage, timezone),
    ...moduleRoutes(storage, timezone),
    ...instanceRoutes(storage, timezone, { lacksSearch, lacksDelete: missingDeleteGrant(admins), hidden }),
    ...associationRoutes(storage, timezone, hidden),
    ...impactRoutes(storage, timezone, hidden),
    ...hostRoutes(storage, timezone, lacks),
    ...queryRoutes(storage, { ...reading, lacks: lacksSearch }, admins),
    ...integrationRoutes(storage, { ...reading, lacks: lacksSearch }),
    ...transferRoutes(storage, timezone, {
      rules: { most: maxLevels, identifiers },
      groupIdentifiers,
      reading,
      outbound,
      lacks,
    }),
    ...modelRoutes(storage, timezone, dialect),
    ...privilegeRoutes(storage, admins, operations),
  ]
}

export function routesOf(parts: RouteParts, settings: RouteSettings): Route[] {
  const { storage, tail, outbound, identification, delivery, identities, dialect, views } = parts
  const { timezone, admins } = settings
  const reading = { zone: timezone, ...dialect.savedQueries }
  const lacks = missingSearchGrant(admins)
  const routes: Route[] = [
    ...estateRoutes({ ...parts, present: storage, operations: () => routes.map((route) => route.endpoint) }, settings),
    ...favouriteRoutes(storage, timezone),
    ...settingRoutes(storage),
    ...auditRoutes(storage, timezone, admins),
    ...timelineRoutes(storage, timezone, { admins, lacksSearch: lacks }, { views, rights: { ...reading, lacks } }),
    ...undoRoutes(storage, { zone: timezone, admins, lacks: missingForChange(admins) }),
    ...subscriptionRoutes(storage, reading, { outbound, delivery, lacks }),
    ...feedRoutes(
      {
        ...{ storage, tail, identities },
        followsQuery: (account, id) => isFollowed(storage.read, account, id),
        objectsBehindQuery: (account, id) => objectsBehindNow(storage.read, account, [queryEvent(id)], reading),
      },
      timezone,
      lacks,
    ),
    ...callbackRoutes(outbound, admins),
    ...sessionRoutes(identification, admins),
    ...dialect.routes,
  ]
  return routes
}

/** Opens the operations as of a moment; those of a moment that is kept are wired once. */
export function pastRoutesOf(
  { routes, views, ...parts }: RouteParts & { readonly routes: readonly Route[] },
  settings: RouteSettings,
): (account: string, text: string) => Promise<PastRoutes> {
  const { storage: present, outbound, dialect } = parts
  const wired = new WeakMap<Storage, readonly Route[]>()
  const operations = () => routes.map((route) => route.endpoint)
  return async (account, text) => {
    const { storage, moment, confirm } = await views.at(account, text)
    const known = wired.get(storage) ?? estateRoutes({ storage, present, outbound, dialect, operations }, settings)
    wired.set(storage, known)
    return { routes: known, header: `${moment.position}; ${settings.timezone.write(moment.time)}`, confirm }
  }
}
