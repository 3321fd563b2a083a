import cluster from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import type { ServeConfig } from '../../common/config.ts'
import { createLogger } from '../../common/logger.ts'
import { probeAddress } from './address.ts'
import { onReloadSignal } from './reload-signal.ts'
import { stopHandler } from './stop-signal.ts'
import type { AskMetrics } from './worker.ts'
import { sendTo, WorkerPool } from './worker-pool.ts'

/**
 * Keeps `workers` processes serving one port. A dead worker is replaced. SIGHUP replaces all workers one after the other, each only after
 * its successor listens; a replaced worker exits when its connections are closed, so an update of the program loses no
 * request.
 */
export async function superviseWorkers({
  workers,
  host,
  port,
  logLevel,
}: Pick<ServeConfig, 'workers' | 'host' | 'port' | 'logLevel'>): Promise<void> {
  const log = createLogger(logLevel, 0)
  const free = await probeAddress({ host, port })
  // With port 0 each worker would get a port of its own, so the supervisor chooses one.
  if (port === 0) cluster.setupPrimary({ args: [...process.argv.slice(2), `--port=${free}`] })
  answerMetrics()
  const pool = new WorkerPool(log)
  const stopAll = async () => {
    await pool.stop()
    process.exit(0)
  }
  // A second signal is sent to the workers too, which then stop without waiting.
  const stop = stopHandler(stopAll, stopAll)
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  onReloadSignal(() => pool.reload())

  // The first worker migrates the schema and creates the demo estate before the others start.
  const refusal = await pool.spawn()
  if (refusal !== undefined) process.exit(refusal)
  await Promise.all(Array.from({ length: workers - 1 }, () => pool.spawnUntilServing()))
}

/** Workers ask for the metrics of all workers together. */
function answerMetrics(): void {
  const everyone = new AggregatorRegistry()
  cluster.on('message', async (worker, message: Partial<AskMetrics>) => {
    if (message.askMetrics === undefined) return
    const text = await everyone.clusterMetrics().catch(() => undefined)
    sendTo(worker, { metricsFor: message.askMetrics, ...(text !== undefined && { text }) })
  })
}
