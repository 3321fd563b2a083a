// The one place that knows every area and wires them to the platform.
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { auditRoutes } from './areas/audit/index.ts'
import { callbackRoutes } from './areas/callbacks/index.ts'
import { createTail, feedRoutes, type Tail } from './areas/feed/index.ts'
import { instanceRoutes } from './areas/instances/index.ts'
import { insertAccount, modelAt, modelRoutes } from './areas/model/index.ts'
import { moduleRoutes } from './areas/modules/index.ts'
import { createGuard } from './areas/privileges/index.ts'
import { setRoutes } from './areas/sets/index.ts'
import { startDelivery, subscriptionRoutes } from './areas/subscriptions/index.ts'
import { businessRoutes, createPool, topologyRoutes } from './areas/topology/index.ts'
import type { ServeConfig } from './platform/config.ts'
import { defaultAccount } from './platform/http/identity.ts'
import { createMetrics } from './platform/http/metrics.ts'
import type { Route } from './platform/http/route.ts'
import { createServer } from './platform/http/server.ts'
import { createOutbound, type Outbound } from './platform/outbound/index.ts'
import { type Actor, openStorage, type Storage } from './platform/storage/index.ts'

export interface Service {
  readonly storage: Storage
  readonly app: FastifyInstance
  readonly tail: Tail
  /** Finishes what has begun, then lets go of everything. */
  close(): Promise<void>
}

interface Parts {
  readonly storage: Storage
  readonly tail: Tail
  readonly outbound: Outbound
}

const routesOf = (
  { storage, tail, outbound }: Parts,
  config: Pick<ServeConfig, 'timezone' | 'admins' | 'maxLevels'>,
): Route[] => [
  ...businessRoutes(storage, config.timezone),
  ...topologyRoutes(storage, config.timezone, config.maxLevels),
  ...setRoutes(storage, config.timezone),
  ...moduleRoutes(storage, config.timezone),
  ...instanceRoutes(storage, config.timezone),
  ...modelRoutes(storage, config.timezone),
  ...auditRoutes(storage, config.timezone, config.admins),
  ...feedRoutes({ storage, tail, identityOf: undefined }, config.timezone),
  ...callbackRoutes(outbound),
]

export async function openService(config: ServeConfig, log: Logger): Promise<Service> {
  const onFault = (what: string, error: unknown) => log.error({ err: error }, `${what} failed; it is tried again`)
  const storage = await openStorage(config, {
    onMigrated: (names) => log.info({ migrations: names }, 'schema brought up to date'),
    onSeal: (seal) => log.info({ seal }, 'log segment sealed'),
    onFault,
  })
  const tail = createTail(storage)
  const outbound = createOutbound({
    loopback: config.auth === 'open',
    allow: config.callbackAllow,
    deny: config.callbackDeny,
  })
  const metrics = createMetrics()
  const delivery = startDelivery({
    storage,
    tail,
    outbound,
    zone: config.timezone,
    schedule: config.retrySchedule,
    registry: metrics.registry,
    onFault,
  })
  const letGo = async () => {
    await delivery.stop()
    tail.stop()
    await outbound.close()
    await storage.close()
  }
  try {
    const openAccount = accountOpener(storage)
    await openAccount(defaultAccount)
    const app = await createServer({
      config,
      log,
      routes: [
        ...routesOf({ storage, tail, outbound }, config),
        ...subscriptionRoutes(storage, config.timezone, { outbound, delivery }),
      ],
      house: { guard: createGuard(storage.read, config.admins), openAccount },
      ready: () => storage.engine.ping(),
      metrics,
    })
    return {
      storage,
      app,
      tail,
      async close() {
        await app.close()
        await letGo()
      },
    }
  } catch (error) {
    await letGo()
    throw error
  }
}

/** What the service does by itself is done by nobody. */
export const system = (account: string): Actor => ({ user: 'system', account, requestId: '' })

/** An account comes into being when it is first named. It never goes, so having seen it once is enough. */
function accountOpener(storage: Storage): (account: string) => Promise<void> | undefined {
  const seen = new Set<string>()
  const open = async (account: string) => {
    const there = await storage.read.selectFrom('account').select('name').where('name', '=', account).executeTakeFirst()
    if (!there) {
      await storage.change(
        system(account),
        async (tx) => {
          if (await insertAccount(tx, account)) await createPool(tx, await modelAt(tx, account, 1))
        },
        { chain: 'none' },
      )
    }
    seen.add(account)
  }
  return (account) => (seen.has(account) ? undefined : open(account))
}
