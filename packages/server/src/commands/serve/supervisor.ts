import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { ServeConfig } from '../../common/config.ts'
import { createLogger } from '../../common/logger.ts'
import { probeAddress } from './address.ts'
import { onReloadSignal } from './reload-signal.ts'
import { stopHandler } from './stop-signal.ts'
import type { AskMetrics, SupervisorMessage } from './worker.ts'

/** Backoff before a dead worker is replaced; the last pause repeats. Reset after some time without a death. */
const restartPausesMs = [0, 500, 2_000, 5_000]
const quietTimeMs = 60_000

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
  let stopping = false
  let deaths = 0
  const replaced = new Set<Worker>()
  const serving = new WeakSet<Worker>()
  const everyone = new AggregatorRegistry()

  cluster.on('message', async (worker, message: Partial<AskMetrics>) => {
    if (message.askMetrics === undefined) return
    const text = await everyone.clusterMetrics().catch(() => undefined)
    sendTo(worker, { metricsFor: message.askMetrics, ...(text !== undefined && { text }) })
  })

  /** Starts a worker; undefined when it listens, its exit code if it ended before. The worker has logged the reason. */
  async function spawn(): Promise<number | undefined> {
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
      'a worker exited unexpectedly; starting a replacement',
    )
    await pauseAfterDeath()
    if (!stopping) await spawnUntilServing()
  }

  async function pauseAfterDeath(): Promise<void> {
    await pause(restartPausesMs[Math.min(deaths++, restartPausesMs.length - 1)])
    setTimeout(() => deaths--, quietTimeMs).unref()
  }

  /** Retries with backoff until a worker listens. */
  async function spawnUntilServing(): Promise<void> {
    while ((await spawn()) !== undefined && !stopping) {
      log.error('a worker exited before it was ready; starting another')
      await pauseAfterDeath()
      if (stopping) return
    }
  }

  async function renew(): Promise<void> {
    const left: Promise<unknown>[] = []
    for (const worker of present()) {
      // A starting worker does not receive messages yet.
      if (!serving.has(worker)) await started(worker)
      if (stopping) return
      if (worker.isDead()) continue
      // Marked first: if this worker dies before its successor listens, it must not be replaced twice.
      replaced.add(worker)
      if ((await spawn()) !== undefined) {
        replaced.delete(worker)
        if (worker.isDead()) await replace(worker)
        return
      }
      if (!worker.isDead()) left.push(terminate(worker, 'replaced'))
    }
    log.info('reload: new workers are serving; old workers exit when their connections are closed')
    // Completed before the next reload, so that there are never more than twice as many workers.
    await Promise.all(left)
    log.info('reload finished')
  }

  let renewing = Promise.resolve()
  let isWaiting = false
  const reload = () => {
    // Several signals during a reload cause only one further reload.
    if (isWaiting) return log.info('reload: another reload is already pending')
    log.info('reload: replacing workers one by one')
    isWaiting = true
    renewing = renewing.then(() => {
      isWaiting = false
      return renew()
    })
  }
  const stopAll = async () => {
    stopping = true
    log.info('stopping all workers')
    // A starting worker receives no messages and has no requests to finish.
    await Promise.all(present().map((worker) => (serving.has(worker) ? terminate(worker, 'stop') : end(worker))))
    process.exit(0)
  }
  // A second signal is sent to the workers too, which then stop without waiting.
  const stop = stopHandler(stopAll, stopAll)
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  onReloadSignal(reload)

  // The first worker migrates the schema and creates the demo estate before the others start.
  const refusal = await spawn()
  if (refusal !== undefined) process.exit(refusal)
  await Promise.all(Array.from({ length: workers - 1 }, spawnUntilServing))
}

const present = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)

/** Resolves when the worker listens, or has exited. */
const started = (worker: Worker) => Promise.race([once(worker, 'listening'), once(worker, 'exit')])

/** Asks the worker to finish running requests and exit. */
async function terminate(worker: Worker, leave: 'stop' | 'replaced'): Promise<void> {
  const left = once(worker, 'exit')
  sendTo(worker, { leave })
  await left
}

const endOf = ({ process: { exitCode, signalCode } }: Worker) => ({ exit_code: exitCode, signal: signalCode })

async function end(worker: Worker): Promise<void> {
  const left = once(worker, 'exit')
  worker.process.kill('SIGKILL')
  await left
}

/** A disconnected worker receives no messages. */
function sendTo(worker: Worker, word: SupervisorMessage): void {
  if (worker.isConnected()) worker.send(word, () => {})
}
