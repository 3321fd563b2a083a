import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { SupervisorMessage } from './worker.ts'

/** Backoff before a dead worker is replaced; the last pause repeats. Reset after some time without a death. */
const restartPausesMs = [0, 500, 2_000, 5_000]
const quietTimeMs = 60_000

/** The worker processes, each of which is replaced when it dies. */
export class WorkerPool {
  readonly #log: Logger
  readonly #replaced = new Set<Worker>()
  readonly #serving = new WeakSet<Worker>()
  #isStopping = false
  #deaths = 0
  #renewing = Promise.resolve()
  #isReloadWaiting = false

  constructor(log: Logger) {
    this.#log = log
  }

  /** Starts a worker; undefined when it listens, its exit code if it ended before. The worker has logged the reason. */
  async spawn(): Promise<number | undefined> {
    const worker = cluster.fork()
    await started(worker)
    if (worker.isDead()) return worker.process.exitCode ?? 1
    this.#serving.add(worker)
    worker.once('exit', () => this.#replace(worker))
    return undefined
  }

  /** Retries with backoff until a worker listens. */
  async spawnUntilServing(): Promise<void> {
    while ((await this.spawn()) !== undefined && !this.#isStopping) {
      this.#log.error('a worker exited before it was ready; starting another')
      await this.#pauseAfterDeath()
      if (this.#isStopping) return
    }
  }

  /** Replaces all workers one by one. Several requests during a reload cause only one further reload. */
  reload(): void {
    if (this.#isReloadWaiting) {
      this.#log.info('reload: another reload is already pending')
      return
    }
    this.#log.info('reload: replacing workers one by one')
    this.#isReloadWaiting = true
    this.#renewing = this.#renewing.then(() => {
      this.#isReloadWaiting = false
      return this.#renew()
    })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#log.info('stopping all workers')
    // A starting worker receives no messages and has no requests to finish.
    await Promise.all(present().map((worker) => (this.#serving.has(worker) ? terminate(worker, 'stop') : end(worker))))
  }

  async #replace(worker: Worker): Promise<void> {
    if (this.#isStopping || this.#replaced.delete(worker)) return
    this.#log.error(
      { died: worker.id, pid: worker.process.pid, ...endOf(worker) },
      'a worker exited unexpectedly; starting a replacement',
    )
    await this.#pauseAfterDeath()
    if (!this.#isStopping) await this.spawnUntilServing()
  }

  async #pauseAfterDeath(): Promise<void> {
    await pause(restartPausesMs[Math.min(this.#deaths++, restartPausesMs.length - 1)])
    setTimeout(() => this.#deaths--, quietTimeMs).unref()
  }

  async #renew(): Promise<void> {
    const left: Promise<unknown>[] = []
    for (const worker of present()) {
      // A starting worker does not receive messages yet.
      if (!this.#serving.has(worker)) await started(worker)
      if (this.#isStopping) return
      if (worker.isDead()) continue
      // Marked first: if this worker dies before its successor listens, it must not be replaced twice.
      this.#replaced.add(worker)
      if ((await this.spawn()) !== undefined) {
        this.#replaced.delete(worker)
        if (worker.isDead()) await this.#replace(worker)
        return
      }
      if (!worker.isDead()) left.push(terminate(worker, 'replaced'))
    }
    this.#log.info('reload: new workers are serving; old workers exit when their connections are closed')
    // Completed before the next reload, so that there are never more than twice as many workers.
    await Promise.all(left)
    this.#log.info('reload finished')
  }
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
export function sendTo(worker: Worker, word: SupervisorMessage): void {
  if (worker.isConnected()) worker.send(word, () => {})
}
