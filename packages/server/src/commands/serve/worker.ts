import cluster from 'node:cluster'
import { once } from 'node:events'
import { AggregatorRegistry, type Registry } from 'prom-client'

export interface Stopping {
  /** Drains, finishes running requests and exits. A second call stops without waiting. */
  stop(): void
  /** A successor listens already: each connection is closed after its next response. */
  leave(): void
}

/** A request for the metrics of all workers. */
export interface AskMetrics {
  readonly askMetrics: number
}

/**
 * Messages from the supervisor: the metrics of all workers, without text if one did not answer; or the order to finish running requests
 * and exit, because of a stop or because a successor listens.
 */
export type SupervisorMessage =
  | { readonly metricsFor: number; readonly text?: string }
  | { readonly leave: 'stop' | 'replaced' }

const onMessage = (hear: (word: SupervisorMessage) => void) => process.on('message', hear)

/** Ctrl+C and SIGHUP reach every process of a terminal; only the supervisor acts on them. */
export function followSupervisor({ stop, leave }: Stopping): void {
  process.on('SIGINT', () => {})
  process.on('SIGHUP', () => {})
  onMessage((word) => {
    if ('leave' in word) (word.leave === 'stop' ? stop : leave)()
  })
}

/**
 * Until the supervisor knows that this worker no longer listens, it hands over connections. They arrive before its acknowledgement
 * and are returned to it, so that another worker serves them.
 */
export async function leaveSupervisor(): Promise<void> {
  if (!cluster.worker?.isConnected()) return
  const parted = once(cluster.worker, 'disconnect')
  cluster.worker.disconnect()
  await parted
}

/** A scrape reaches any worker: it returns the sum of all, or this worker's metrics if the others do not answer. */
export function withOthers(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(registry)
  // Answers requests of the supervisor from now on.
  new AggregatorRegistry()
  let asked = 0
  const waiting = new Map<number, (text: string | undefined) => void>()
  onMessage((word) => {
    if (!('metricsFor' in word)) return
    waiting.get(word.metricsFor)?.(word.text)
    waiting.delete(word.metricsFor)
  })
  return async () => {
    const id = ++asked
    const answered = new Promise<string | undefined>((resolve) => waiting.set(id, resolve))
    process.send?.({ askMetrics: id } satisfies AskMetrics)
    return (await answered) ?? registry.metrics()
  }
}
