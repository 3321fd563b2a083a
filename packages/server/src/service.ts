// The one place that knows every area and wires them to the platform.
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { auditRoutes } from './areas/audit/index.ts'
import { hostRoutes } from './areas/hosts/index.ts'
import { instanceRoutes } from './areas/instances/index.ts'
import { insertAccount, keepFilled, modelAt, modelRoutes } from './areas/model/index.ts'
import { moduleRoutes } from './areas/modules/index.ts'
import { createGuard } from './areas/privileges/index.ts'
import { queryRoutes } from './areas/queries/index.ts'
import { setRoutes } from './areas/sets/index.ts'
import { favouriteRoutes, settingRoutes } from './areas/settings/index.ts'
import { businessRoutes, createDefaultArea, createPool, topologyRoutes } from './areas/topology/index.ts'
import type { ServeConfig } from './platform/config.ts'
import { defaultAccount } from './platform/http/identity.ts'
import { createMetrics } from './platform/http/metrics.ts'
import type { Route } from './platform/http/route.ts'
import { createServer } from './platform/http/server.ts'
import { type Actor, openStorage, type Storage } from './platform/storage/index.ts'

export interface Service {
  readonly storage: Storage
  readonly app: FastifyInstance
  /** Finishes what has begun, then lets go of everything. */
  close(): Promise<void>
}

const routesOf = (storage: Storage, config: Pick<ServeConfig, 'timezone' | 'admins' | 'maxLevels'>): Route[] => [
  ...businessRoutes(storage, config.timezone),
  ...topologyRoutes(storage, config.timezone, config.maxLevels),
  ...setRoutes(storage, config.timezone),
  ...moduleRoutes(storage, config.timezone),
  ...instanceRoutes(storage, config.timezone),
  ...hostRoutes(storage, config.timezone),
  ...queryRoutes(storage, config.timezone, config.admins),
  ...favouriteRoutes(storage, config.timezone),
  ...settingRoutes(storage),
  ...modelRoutes(storage, config.timezone),
  ...auditRoutes(storage, config.timezone, config.admins),
]

export async function openService(config: ServeConfig, log: Logger): Promise<Service> {
  const onFault = (what: string, error: unknown) => log.error({ err: error }, `${what} failed; it is tried again`)
  const storage = await openStorage(config, {
    onMigrated: (names) => log.info({ migrations: names }, 'schema brought up to date'),
    onSeal: (seal) => log.info({ seal }, 'log segment sealed'),
    onFault,
  })
  try {
    const openAccount = accountOpener(storage)
    await openAccount(defaultAccount)
    const app = await createServer({
      config,
      log,
      routes: routesOf(storage, config),
      house: { guard: createGuard(storage.read, config.admins), openAccount },
      ready: () => storage.engine.ping(),
      metrics: createMetrics(),
    })
    const filling = keepFilled(storage, {
      actor: system,
      onProgress: (attribute, done, instances) =>
        log.info({ ...attribute, instances }, `searchable attribute ${done ? 'filled' : 'being filled'}`),
      onFault,
    })
    return {
      storage,
      app,
      async close() {
        await app.close()
        await filling.stop()
        await storage.close()
      },
    }
  } catch (error) {
    await storage.close()
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
          if (!(await insertAccount(tx, account))) return
          const model = await modelAt(tx, account, 1)
          await createPool(tx, model)
          await createDefaultArea(tx, model)
        },
        { chain: 'none' },
      )
    }
    seen.add(account)
  }
  return (account) => (seen.has(account) ? undefined : open(account))
}
