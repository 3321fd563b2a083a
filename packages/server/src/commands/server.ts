import cluster from 'node:cluster'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { build } from '../platform/build.ts'
import type { ServeConfig } from '../platform/config.ts'
import { createLogger } from '../platform/logger.ts'
import { openService, type Service } from '../service.ts'
import { probeAddress, unusable } from './address.ts'
import { fillEstate } from './estate.ts'
import { progressBar } from './progress.ts'
import { stopHandler } from './stop-signal.ts'
import { attendDesk } from './token-desk.ts'
import { followLead, partFromLead, withOthers } from './worker.ts'

/** How long running requests may take to finish after the signal to stop, in milliseconds. */
const patience = 30_000

export async function runServer(config: ServeConfig): Promise<void> {
  const log = createLogger(config.logLevel, cluster.worker ? { worker: cluster.worker.id } : null)
  // Workers share the port of their lead, which has probed it.
  if (!cluster.isWorker) await probeAddress(config)
  const service = await openService(config, log, cluster.isWorker ? withOthers : undefined)
  const stop = stopper(service, config.drainTime, log)
  if (cluster.isWorker) followLead(stop)
  else process.on('SIGINT', () => stop())
  process.on('SIGTERM', () => stop())
  try {
    if (config.demo)
      await fillEstate(service.storage, config, { hosts: 500, progress: progressBar('Creating the demo estate') })
    if (!config.databaseUrl) await attendDesk(service, config.dataDir, log)
    const address = await listen(service, config)
    const engine = config.databaseUrl ? 'postgres' : 'sqlite'
    const storage = config.databaseUrl ? undefined : resolve(config.dataDir)
    log.info({ ...build, engine, storage, address, auth: config.auth, compat: config.compat }, `ready at ${address}`)
    // For people. Of several processes the first speaks for all.
    if (process.stderr.isTTY && (cluster.worker?.id ?? 1) === 1) process.stderr.write(greeting(address, config))
  } catch (error) {
    await service.close()
    throw error
  }
}

async function listen({ app }: Service, { host, port }: ServeConfig): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    throw unusable({ host, port }, error)
  }
}

interface StopOptions {
  readonly drain: boolean
}

/** The first signal drains and lets running requests finish; another one does not wait. */
function stopper(service: Service, drainMs: number, log: Logger): (options?: StopOptions) => void {
  const stop = async ({ drain }: StopOptions = { drain: true }) => {
    const startedAt = performance.now()
    service.drain()
    if (drain && drainMs > 0) {
      log.info({ drain_ms: drainMs }, 'draining: /readyz says 503, requests are answered')
      await pause(drainMs)
    }
    log.info('stopping: requests that are running are finished')
    setTimeout(() => {
      log.warn({ patience_ms: patience }, 'requests took too long: they are cut off')
      process.exit(1)
    }, patience).unref()
    await service.close()
    await partFromLead()
    log.info({ stop_ms: Math.round(performance.now() - startedAt) }, 'stopped')
    process.exit(0)
  }
  return stopHandler(stop, () => {
    log.warn('stopped by a second signal: requests that were running are cut off')
    process.exit(1)
  })
}

/** What a first request has to carry. */
const credential = {
  open: '',
  proxy: '',
  token: ' --oauth2-bearer $TOKEN',
  oidc: ' --oauth2-bearer $TOKEN',
}

function greeting(address: string, config: ServeConfig): string {
  const where = config.databaseUrl ? 'PostgreSQL' : `${resolve(config.dataDir)} (to begin anew: stop, delete it, start)`
  return `
Mainline is ready at ${address}

  console    ${address}/
  docs       ${address}/docs
  storage    ${where}

Try:
${config.auth === 'token' ? '\n  export TOKEN=$(mainline token create --user admin)' : ''}
  curl -s ${address}/api/v3/biz/search/0${credential[config.auth]} --json '{"fields":["bk_biz_id","bk_biz_name"]}'

Stop with Ctrl+C.
`
}
