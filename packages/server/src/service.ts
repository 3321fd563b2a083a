// The one place that knows every area and wires them to the platform.
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { auditRoutes } from './areas/audit/index.ts'
import { callbackRoutes } from './areas/callbacks/index.ts'
import { createTail, feedRoutes, type Identities, type Tail } from './areas/feed/index.ts'
import { hostIdentity, hostRoutes, hostsNamedBy } from './areas/hosts/index.ts'
import { instanceRoutes } from './areas/instances/index.ts'
import { integrationRoutes } from './areas/integrations/index.ts'
import { insertAccount, keepFilled, modelRoutes, models, readModelNow } from './areas/model/index.ts'
import { moduleRoutes } from './areas/modules/index.ts'
import { bindMaintainers, createGuard, editingLack, privilegeRoutes } from './areas/privileges/index.ts'
import { queryRoutes } from './areas/queries/index.ts'
import { followQueries, isFollowed } from './areas/querywatch/index.ts'
import { setRoutes } from './areas/sets/index.ts'
import { favouriteRoutes, settingRoutes } from './areas/settings/index.ts'
import { type Delivery, startDelivery, subscriptionRoutes } from './areas/subscriptions/index.ts'
import { businessRoutes, createDefaultArea, createPool, topologyRoutes } from './areas/topology/index.ts'
import { transferRoutes } from './areas/transfer/index.ts'
import type { ServeConfig } from './platform/config.ts'
import { dialectOf, type Spelling } from './platform/http/compat.ts'
import {
  defaultAccount,
  type Identification,
  openIdentification,
  openTokenDesk,
  sessionRoutes,
  type TokenDesk,
} from './platform/http/identity/index.ts'
import { createMetrics, type Gathering } from './platform/http/metrics.ts'
import { Stopping } from './platform/http/probes.ts'
import type { Route } from './platform/http/route.ts'
import { createServer } from './platform/http/server.ts'
import { createOutbound, type Outbound } from './platform/outbound/index.ts'
import {
  type Actor,
  measureStorage,
  openStorage,
  type Storage,
  type StorageEvents,
  systemUser,
} from './platform/storage/index.ts'

export interface Service {
  readonly storage: Storage
  readonly app: FastifyInstance
  readonly tokens: TokenDesk
  readonly tail: Tail
  /** From now on it is not ready, so that load balancers send requests elsewhere; it answers those that come. */
  drain(): void
  /** Finishes what has begun, then lets go of everything. */
  close(): Promise<void>
}

interface Parts {
  readonly storage: Storage
  readonly tail: Tail
  readonly outbound: Outbound
  readonly identification: Identification
  readonly delivery: Delivery
  readonly identities: Identities
  readonly identifiers: Spelling
}

type Settings = Pick<ServeConfig, 'timezone' | 'admins' | 'maxLevels'>

function routesOf(
  { storage, tail, outbound, identification, delivery, identities, identifiers }: Parts,
  { timezone, admins, maxLevels }: Settings,
): Route[] {
  const lacks = editingLack(admins)
  const routes: Route[] = [
    ...businessRoutes(storage, timezone),
    ...topologyRoutes(storage, timezone, { most: maxLevels, identifiers }),
    ...setRoutes(storage, timezone),
    ...moduleRoutes(storage, timezone),
    ...instanceRoutes(storage, timezone),
    ...hostRoutes(storage, timezone, lacks),
    ...queryRoutes(storage, timezone, admins),
    ...integrationRoutes(storage, timezone),
    ...transferRoutes(storage, timezone, { rules: { most: maxLevels, identifiers }, outbound, lacks }),
    ...favouriteRoutes(storage, timezone),
    ...settingRoutes(storage),
    ...modelRoutes(storage, timezone, identifiers),
    ...auditRoutes(storage, timezone, admins),
    ...subscriptionRoutes(storage, timezone, { outbound, delivery }),
    ...feedRoutes(
      { storage, tail, identities, followsQuery: (account, id) => isFollowed(storage.read, account, id) },
      timezone,
    ),
    ...callbackRoutes(outbound),
    ...sessionRoutes(identification, admins),
    ...privilegeRoutes(storage, admins, () => routes.map((route) => route.endpoint)),
  ]
  return routes
}

export async function openService(config: ServeConfig, log: Logger, gathering?: Gathering): Promise<Service> {
  const events = loggedTo(log)
  const storage = await openStorage(config, events, models)
  const tail = createTail(storage)
  const identities: Identities = {
    identityOf: (account, hostId) => hostIdentity(storage.read, account, hostId),
    hostsNamedBy: (...asked) => hostsNamedBy(storage.heavy, ...asked),
  }
  const outbound = createOutbound({
    loopback: config.auth === 'open',
    allow: config.callbackAllow,
    deny: config.callbackDeny,
  })
  const metrics = createMetrics(config.databaseUrl ? 'postgres' : 'sqlite', gathering)
  measureStorage(metrics.registry, storage)
  const delivery = startDelivery({
    storage,
    tail,
    outbound,
    identities,
    zone: config.timezone,
    schedule: config.retrySchedule,
    registry: metrics.registry,
  })
  const following = followQueries({ storage, tail, zone: config.timezone, actor: system })
  let isDraining = false
  const letGo = async () => {
    await following.stop()
    await delivery.stop()
    tail.stop()
    await outbound.close()
    await storage.close()
  }
  try {
    const openAccount = accountOpener(storage)
    await openAccount(defaultAccount)
    const identification = await openIdentification(config, storage)
    const dialect = dialectOf(config)
    const { identifiers } = dialect
    const app = await createServer({
      config,
      identification,
      log,
      routes: routesOf({ storage, tail, outbound, identification, delivery, identities, identifiers }, config),
      house: { guard: createGuard(storage, config.admins), openAccount },
      dialect,
      async ready() {
        if (isDraining) throw new Stopping()
        await storage.expectReady()
      },
      metrics,
    })
    const filling = keepFilled(storage, {
      actor: system,
      onProgress: (attribute, done, instances) =>
        log.info({ ...attribute, instances }, `searchable attribute ${done ? 'filled' : 'being filled'}`),
    })
    return {
      storage,
      app,
      tokens: openTokenDesk(storage, openAccount),
      tail,
      drain: () => {
        isDraining = true
      },
      async close() {
        isDraining = true
        await app.close()
        await identification.close()
        await filling.stop()
        await letGo()
      },
    }
  } catch (error) {
    await letGo()
    throw error
  }
}

/** Of several attempts to connect, each to another address, the first. */
const textOf = (cause: unknown): string => {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error ? first.message : String(first)
}

const loggedTo = (log: Logger): StorageEvents => ({
  onMigrated: (names) => log.info({ migrations: names }, 'schema brought up to date'),
  onSeal: (seal) => log.info({ seal }, 'log segment sealed'),
  onFault: (what, error, failures) => log.error({ err: error, failures }, `${what} failed; it is tried again`),
  onOutage: ({ reason, cause }) =>
    log.error({ reason, cause: textOf(cause) }, 'storage is unavailable; background work waits until it is back'),
  onRecovery: (outageMs) => log.info({ outage_ms: outageMs }, 'storage is available again'),
  onUnsafe: (why) => log.fatal(why.message),
})

/** The desk for tokens alone, for the command line: nothing is served, sent or followed meanwhile. */
export async function openDesk(config: ServeConfig, log: Logger): Promise<Pick<Service, 'tokens' | 'close'>> {
  const storage = await openStorage(config, loggedTo(log), models)
  return { tokens: openTokenDesk(storage, accountOpener(storage)), close: () => storage.close() }
}

/** What the service does by itself is done by nobody. */
export const system = (account: string): Actor => ({ user: systemUser, account, requestId: '' })

/** An account comes into being when it is first named. It never goes, so having seen it once is enough. */
function accountOpener(storage: Storage): (account: string) => Promise<void> | undefined {
  const seen = new Set<string>()
  const open = async (account: string) => {
    const there = await storage.read.selectFrom('account').select('name').where('name', '=', account).executeTakeFirst()
    if (!there) {
      await storage.change(
        system(account),
        async (tx) => {
          if (!(await insertAccount(tx, account))) return
          // Not remembered: should this be taken back, the next try draws other keys for the same version.
          const model = await readModelNow(tx)
          await createPool(tx, model)
          await createDefaultArea(tx, model)
          await bindMaintainers(tx)
        },
        { chain: 'none', repeatable: true },
      )
    }
    seen.add(account)
  }
  return (account) => (seen.has(account) ? undefined : open(account))
}
