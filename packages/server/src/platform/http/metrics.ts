import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { build } from '../build.ts'

export interface Metrics {
  readonly registry: Registry
  readonly contentType: string
  text(): Promise<string>
  /** Counts an answer to an operation by its status and code, and how long it took. */
  answered(operation: string, status: number, code: number, durationMs: number): void
  /** Counts a request that was turned away, by what there was too much of. */
  shed(reason: string): void
  /** Shows how many requests are being worked on. */
  showRunning(running: () => number): void
}

/** How a registry is written out: by itself, or together with those of other processes. */
export type Gathering = (registry: Registry) => () => Promise<string>
const alone: Gathering = (registry) => () => registry.metrics()

/** Gauges that are named like counters, which Prometheus' own check refuses. Each has the same without a sum over all kinds. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export function createMetrics(engine: string, gathering = alone): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
  new Gauge({
    name: 'mainline_build_info',
    help: 'Which program runs: always 1.',
    labelNames: ['version', 'commit', 'node', 'engine'],
    registers: [registry],
    aggregator: 'max',
  }).set({ ...build, engine }, 1)
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
  const counts = new Map<string, { operation: string; status: number; code: number; count: number }>()
  new Counter({
    name: 'mainline_requests_total',
    help: 'Requests that were answered, by operation, HTTP status and bk_error_code; 0 is success.',
    labelNames: ['operation', 'status', 'code'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { count, ...labels } of counts.values()) this.inc(labels, count)
    },
  })
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
    answered(operation, status, code, durationMs) {
      const key = `${operation} ${status} ${code}`
      const counted = counts.get(key)
      if (counted) counted.count++
      else counts.set(key, { operation, status, code, count: 1 })
      const timer = timers.get(key) ?? durations.labels({ operation, status })
      timers.set(key, timer)
      timer.observe(durationMs / 1000)
    },
  }
}
