// The one place that knows every area and wires them to the platform.
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { startDelivery } from './areas/events/delivery/index.ts'
import { createTail, type Identities, type Tail } from './areas/events/feed/index.ts'
import { measurePast, PastViews, Projector } from './areas/history/past/index.ts'
import { hostIdentity, hostsNamedBy } from './areas/hosts/index.ts'
import { insertAccount, keepFilled, models, readModelNow } from './areas/model/index.ts'
import { bindMaintainers, createChangeGuard, createGuard, missingSearchGrant } from './areas/privileges/index.ts'
import { followQueries } from './areas/queries/watch/index.ts'
import { createDefaultArea, createPool } from './areas/topology/index.ts'
import type { ServeConfig } from './common/config.ts'
import { dialectOf } from './compat/bk-cmdb.ts'
import { serveDocs } from './docs/index.ts'
import { createMetrics, type Gathering } from './http/observe/metrics.ts'
import { Stopping } from './http/observe/probes.ts'
import { createServer } from './http/server.ts'
import { StopNotice } from './http/stop/stop.ts'
import {
  defaultAccount,
  openIdentification,
  openSessionAdmin,
  openTokenAdmin,
  type SessionAdmin,
  type TokenAdmin,
} from './identity/index.ts'
import { createOutbound } from './outbound/index.ts'
import { pastRoutesOf, routesOf } from './routes.ts'
import {
  type Actor,
  hasStoredResult,
  measureStorage,
  openStorage,
  type Storage,
  type StorageEvents,
  systemUser,
} from './storage/index.ts'

export interface Service {
  readonly storage: Storage
  readonly app: FastifyInstance
  readonly tokens: TokenAdmin
  /** Operations for the command line. */
  readonly accessAdmin: TokenAdmin & SessionAdmin
  readonly tail: Tail
  readonly past: Projector
  /**
   * Makes the server not ready, so that load balancers use others; further requests are answered with `Connection: close`. After close, connections
   * that have been idle for so long are closed, too. May be called again with less time.
   */
  drain(idleMs: number): void
  /** Finishes running work, then releases all resources. */
  close(): Promise<void>
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
    // All callers of an open server are on this machine.
    policy: config.auth === 'open' && config.callbackPolicy === 'private' ? 'any' : config.callbackPolicy,
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
    confirmBytes: config.confirmBytes,
    registry: metrics.registry,
    lacks: missingSearchGrant(config.admins),
  })
  const dialect = dialectOf(config)
  const reading = { zone: config.timezone, ...dialect.savedQueries }
  const projector = new Projector(storage)
  measurePast(metrics.registry, projector)
  const following = followQueries({ storage, tail, reading, actor: system })
  const notice = new StopNotice()
  const release = async () => {
    await following.stop()
    await projector.stop()
    await delivery.stop()
    tail.stop()
    await outbound.close()
    await storage.close()
  }
  try {
    const openAccount = accountOpener(storage)
    await openAccount(defaultAccount)
    const identification = await openIdentification(config, storage)
    const views = new PastViews(storage, projector, config.timezone)
    const parts = { storage, tail, outbound, identification, delivery, identities, dialect, views }
    const routes = routesOf(parts, config)
    const app = await createServer({
      config,
      identification,
      log,
      routes,
      guards: {
        guard: createGuard(storage, config.admins),
        guardInChange: createChangeGuard(config.admins),
        openAccount,
        hasStoredResult: (caller, key, hash) => hasStoredResult(storage.read, caller, key, hash),
        openPast: pastRoutesOf({ ...parts, routes }, config),
      },
      dialect,
      async ready() {
        if (notice.isGiven) throw new Stopping()
        await storage.expectReady()
      },
      delays: () => delaysOf(storage.seals.troubles()),
      metrics,
      servePages: (app, requestLog) => serveDocs(app, routes, { dialect, requestLog }),
      notice,
    })
    const filling = keepFilled(storage, {
      actor: system,
      showing: { language: 'en', zone: config.timezone },
      onProgress: (attribute, done, instances) =>
        log.info({ ...attribute, instances }, `searchable attribute ${done ? 'filled' : 'being filled'}`),
    })
    const accessAdmin = accessAdminOf(storage, openAccount)
    return {
      storage,
      app,
      tokens: accessAdmin,
      accessAdmin,
      tail,
      past: projector,
      drain: (idleMs) => notice.give(idleMs),
      async close() {
        if (!notice.isGiven) notice.give(0)
        await app.close()
        await identification.close()
        await filling.stop()
        await release()
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}

/** For /readyz: requests are answered while seals are delayed, so the server stays ready. */
function delaysOf(troubles: ReturnType<Storage['seals']['troubles']>): Record<string, string> {
  const names = { seal: 'sealing', witness: 'witnessing' }
  return Object.fromEntries(
    troubles.flatMap(({ step, since }) =>
      since === undefined ? [] : [[names[step], `failing since ${new Date(since).toISOString()}`]],
    ),
  )
}

/** The first of several connection errors, one per address. */
const textOf = (cause: unknown): string => {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error ? first.message : String(first)
}

const loggedTo = (log: Logger): StorageEvents => ({
  onMigrated: (names) => log.info({ migrations: names }, 'schema upgraded'),
  onMigrationWait: (step) =>
    log.warn({ migration: step }, 'a schema migration step is waiting for a long-running transaction'),
  onSeal: (seal) => log.info({ seal }, 'log segment sealed'),
  onFault: (what, error, failures) => log.error({ err: error, failures }, `${what} failed; it is tried again`),
  onOutage: ({ reason, cause }) =>
    log.error(
      { reason, cause: textOf(cause) },
      'storage is unavailable; background work is suspended until it recovers',
    ),
  onRecovery: (outageMs) => log.info({ outage_ms: outageMs }, 'storage is available again'),
  onHistoryReset: (position, cause) =>
    log.error(
      { position, cause },
      'the database has gone back to an earlier moment, or may have; what was cached is dropped and subscribers receive a history event',
    ),
  onFailOver: () => log.warn('failover to a synchronous standby; no acknowledged change was lost'),
  onUnsafe: (why) => log.fatal(why.message),
})

const accessAdminOf = (storage: Storage, openAccount: ReturnType<typeof accountOpener>): Service['accessAdmin'] => ({
  ...openTokenAdmin(storage, openAccount),
  ...openSessionAdmin(storage, openAccount),
})

/** Administration of tokens and sessions for the command line, without serving or delivering anything. */
export async function openAccessAdmin(
  config: ServeConfig,
  log: Logger,
): Promise<Pick<Service, 'accessAdmin' | 'close'>> {
  const storage = await openStorage(config, loggedTo(log), models, { seals: false })
  return { accessAdmin: accessAdminOf(storage, accountOpener(storage)), close: () => storage.close() }
}

/** Changes by the service itself have no user. */
export const system = (account: string): Actor => ({ user: systemUser, account, requestId: '' })

/** An account is created when it is first named, and is never deleted; but a database that has gone back may lack it. */
function accountOpener(storage: Storage): (account: string) => Promise<void> | undefined {
  const seen = new Set<string>()
  storage.history.onDrop(() => seen.clear())
  const open = async (account: string) => {
    const there = await storage.read.selectFrom('account').select('name').where('name', '=', account).executeTakeFirst()
    if (!there) {
      await storage.change(
        system(account),
        async (tx) => {
          if (!(await insertAccount(tx, account))) return
          // Not cached: if this is rolled back, the next attempt draws other keys for the same version.
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
