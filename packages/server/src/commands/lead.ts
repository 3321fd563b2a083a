import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { ServeConfig } from '../platform/config.ts'
import { createLogger } from '../platform/logger.ts'
import { probeAddress } from './address.ts'
import { stopHandler } from './stop-signal.ts'
import type { AskMetrics, Word } from './worker.ts'

/** A worker that died, or never came to serve, is replaced after these, the last again and again, in milliseconds; a while without a death starts anew. */
const pauses = [0, 500, 2_000, 5_000]
const quietTime = 60_000

/**
 * Keeps so many workers serving one port. A worker that dies is replaced; on SIGHUP every one of them is, one after the
 * other and none before its successor listens, so that no request is lost when the program has been updated.
 */
export async function leadWorkers({
  workers,
  host,
  port,
  logLevel,
}: Pick<ServeConfig, 'workers' | 'host' | 'port' | 'logLevel'>): Promise<void> {
  const log = createLogger(logLevel, { worker: 0 })
  const free = await probeAddress({ host, port })
  // With port 0 every worker that listens while no other does would get a different port.
  if (port === 0) cluster.setupPrimary({ args: [...process.argv.slice(2), `--port=${free}`] })
  let stopping = false
  let deaths = 0
  const replaced = new Set<Worker>()
  const serving = new WeakSet<Worker>()
  const everyone = new AggregatorRegistry()

  cluster.on('message', async (worker, message: Partial<AskMetrics>) => {
    if (message.askMetrics === undefined) return
    const text = await everyone.clusterMetrics().catch(() => undefined)
    tell(worker, { metricsFor: message.askMetrics, ...(text !== undefined && { text }) })
  })

  /** Starts one; undefined when it listens, its exit code when it did not come so far. It has said why. */
  async function hire(): Promise<number | undefined> {
    const worker = cluster.fork()
    await started(worker)
    if (worker.isDead()) return worker.process.exitCode ?? 1
    serving.add(worker)
    worker.once('exit', () => replace(worker))
    return undefined
  }

  async function replace(worker: Worker): Promise<void> {
    if (stopping || replaced.delete(worker)) return
    log.error(
      { died: worker.id, pid: worker.process.pid, ...endOf(worker) },
      'a worker has died; another takes its place',
    )
    await pauseAfterDeath()
    if (!stopping) await hireSurely()
  }

  async function pauseAfterDeath(): Promise<void> {
    await pause(pauses[Math.min(deaths++, pauses.length - 1)])
    setTimeout(() => deaths--, quietTime).unref()
  }

  /** Until one listens. */
  async function hireSurely(): Promise<void> {
    while ((await hire()) !== undefined && !stopping) {
      log.error('a worker has ended before it could serve; another is tried')
      await pauseAfterDeath()
      if (stopping) return
    }
  }

  async function renew(): Promise<void> {
    for (const worker of present()) {
      // One that is still starting would not hear that it shall leave.
      if (!serving.has(worker)) await started(worker)
      if (stopping) return
      if (worker.isDead()) continue
      // Before there is another: should this one die meanwhile, that one takes its place too.
      replaced.add(worker)
      if ((await hire()) !== undefined) {
        replaced.delete(worker)
        if (worker.isDead()) await replace(worker)
        return
      }
      if (!worker.isDead()) await dismiss(worker, false)
    }
  }

  let renewing: Promise<void> = Promise.resolve()
  process.on('SIGHUP', () => {
    log.info('reload: workers are replaced one after the other')
    renewing = renewing.then(renew).then(() => log.info('reload is over'))
  })
  const stopAll = async () => {
    stopping = true
    log.info('stopping all workers')
    // One that is still starting hears nothing yet, and has nothing to finish.
    await Promise.all(present().map((worker) => (serving.has(worker) ? dismiss(worker, true) : end(worker))))
    process.exit(0)
  }
  // A second signal reaches the workers as one, and they do not wait then.
  const stop = stopHandler(stopAll, stopAll)
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)

  // The first brings the schema up to date and fills the demo estate. The others come when it has.
  const refusal = await hire()
  if (refusal !== undefined) process.exit(refusal)
  await Promise.all(Array.from({ length: workers - 1 }, hireSurely))
}

const present = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)

/** Until it listens, or has ended without. */
const started = (worker: Worker) => Promise.race([once(worker, 'listening'), once(worker, 'exit')])

/** Lets it finish what it has begun. No drain where a successor listens already. */
async function dismiss(worker: Worker, drain: boolean): Promise<void> {
  const left = once(worker, 'exit')
  tell(worker, { leave: true, drain })
  await left
}

const endOf = ({ process: { exitCode, signalCode } }: Worker) => ({ exit_code: exitCode, signal: signalCode })

async function end(worker: Worker): Promise<void> {
  const left = once(worker, 'exit')
  worker.process.kill('SIGKILL')
  await left
}

/** A worker that is on its way out hears nothing any more. */
function tell(worker: Worker, word: Word): void {
  if (worker.isConnected()) worker.send(word, () => {})
}
