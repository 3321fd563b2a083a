import cluster from 'node:cluster'
import { once } from 'node:events'
import { AggregatorRegistry, type Registry } from 'prom-client'

/** What the lead is asked for. */
export interface AskMetrics {
  readonly askMetrics: number
}

/**
 * What the lead says: everybody's metrics, without text when somebody did not answer; or to finish what has begun and exit,
 * after the drain time unless another worker has taken over.
 */
export type Word =
  | { readonly metricsFor: number; readonly text?: string }
  | { readonly leave: true; readonly drain: boolean }

const listen = (hear: (word: Word) => void) => process.on('message', hear)

/** Goes when told to. Ctrl+C reaches every process of a terminal, and there the lead decides. */
export function followLead(stop: (options: { drain: boolean }) => void): void {
  process.on('SIGINT', () => {})
  listen((word) => {
    if ('leave' in word) stop(word)
  })
}

/**
 * Until the lead has heard that nobody listens here any more, it hands connections over. They arrive before its answer,
 * and go back to it: whoever sent one is served by another worker.
 */
export async function partFromLead(): Promise<void> {
  if (!cluster.worker?.isConnected()) return
  const parted = once(cluster.worker, 'disconnect')
  cluster.worker.disconnect()
  await parted
}

/** A scrape meets any one of the workers: it is told the sum of all, or this one's when the others do not answer. */
export function withOthers(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(registry)
  // Answers the lead from now on.
  new AggregatorRegistry()
  let asked = 0
  const waiting = new Map<number, (text: string | undefined) => void>()
  listen((word) => {
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
