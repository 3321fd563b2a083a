import cluster from 'node:cluster'
import { resolve } from 'node:path'
import { build } from '../../common/build.ts'
import type { ServeConfig } from '../../common/config.ts'
import { createLogger } from '../../common/logger.ts'
import { openService, type Service } from '../../service.ts'
import { fillEstate } from '../demo/estate.ts'
import { progressBar } from '../progress.ts'
import { probeAddress, unusable } from './address.ts'
import { openControlSocket } from './control-socket.ts'
import { onReloadSignal } from './reload-signal.ts'
import { createStopping } from './stopping.ts'
import { followSupervisor, withOthers } from './worker.ts'

const nothingToReload =
  'SIGHUP is ignored: a single process cannot be replaced without downtime. Restart it, or serve with --workers, where SIGHUP replaces the workers'

export async function runServer(config: ServeConfig): Promise<void> {
  const log = createLogger(config.logLevel, cluster.worker?.id)
  // Workers share the port of the supervisor, which has probed it.
  if (!cluster.isWorker) await probeAddress(config)
  const service = await openService(config, log, cluster.isWorker ? withOthers : undefined)
  const stopping = createStopping(service, config.drainTime, log)
  if (cluster.isWorker) followSupervisor(stopping)
  else {
    process.on('SIGINT', stopping.stop)
    onReloadSignal(() => log.warn(nothingToReload))
  }
  process.on('SIGTERM', stopping.stop)
  try {
    if (config.demo)
      await fillEstate(service.storage, config, { hosts: 500, progress: progressBar('Creating the demo estate') })
    if (!config.databaseUrl) await openControlSocket(service, config.dataDir, log)
    const address = await listen(service, config)
    const engine = config.databaseUrl ? 'postgres' : 'sqlite'
    const storage = config.databaseUrl ? undefined : resolve(config.dataDir)
    log.info({ ...build, engine, storage, address, auth: config.auth, compat: config.compat }, `ready at ${address}`)
    // For people. Only the first worker prints it.
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

/** The credential that requests need, by identity mode. */
const credential = {
  open: '',
  proxy: '',
  token: ' --oauth2-bearer $TOKEN',
  oidc: ' --oauth2-bearer $TOKEN',
}

function greeting(address: string, config: ServeConfig): string {
  const where = config.databaseUrl
    ? 'PostgreSQL'
    : `${resolve(config.dataDir)} (to start over: stop the server, delete it, start)`
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
