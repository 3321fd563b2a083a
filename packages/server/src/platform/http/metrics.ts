import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  readonly registry: Registry
  readonly contentType: string
  text(): Promise<string>
  /** Counts an answer to an operation by its status, and how long it took, in milliseconds. */
  answered(operation: string, status: number, milliseconds: number): void
  /** Counts a request that was turned away, by what there was too much of. */
  shed(reason: string): void
  /** Shows how many requests are being worked on. */
  showRunning(running: () => number): void
}

/** How a registry is written out: by itself, or together with those of other processes. */
export type Gathering = (registry: Registry) => () => Promise<string>
const alone: Gathering = (registry) => () => registry.metrics()

export function createMetrics(gathering = alone): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'mainline_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  const turnedAway = new Counter({
    name: 'mainline_shed_total',
    help: 'Requests that were told to come back, by what there was too much of.',
    labelNames: ['reason'],
    registers: [registry],
  })
  // Finding the right series by its labels costs more than counting in it.
  const timers = new Map<string, ReturnType<typeof durations.labels>>()
  return {
    registry,
    contentType: registry.contentType,
    text: gathering(registry),
    shed: (reason) => turnedAway.inc({ reason }),
    showRunning(running) {
      new Gauge({
        name: 'mainline_requests_running',
        help: 'Requests that are being worked on.',
        registers: [registry],
        collect() {
          this.set(running())
        },
      })
    },
    answered(operation, status, milliseconds) {
      const key = `${operation} ${status}`
      const timer = timers.get(key) ?? durations.labels({ operation, status })
      timers.set(key, timer)
      timer.observe(milliseconds / 1000)
    },
  }
}
