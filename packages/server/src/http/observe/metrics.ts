import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { build } from '../../common/build.ts'

export interface Metrics {
  readonly registry: Registry
  readonly contentType: string
  text(): Promise<string>
  answered(operation: string, status: number, code: number, durationMs: number): void
  /** Counts a rejected request by the limit it exceeded. */
  shed(reason: string): void
  /** Registers the gauge of running requests. */
  showRunning(running: () => number): void
}

/** How metrics are rendered: those of this process, or aggregated over all worker processes. */
export type Gathering = (registry: Registry) => () => Promise<string>
const alone: Gathering = (registry) => () => registry.metrics()

/** Gauges named like counters, which `promtool check metrics` refuses. The same figures exist by type, without `_total`. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export function createMetrics(engine: string, gathering = alone): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
  new Gauge({
    name: 'mainline_build_info',
    help: 'Version of the running program, as labels: always 1.',
    labelNames: ['version', 'commit', 'node', 'engine'],
    registers: [registry],
    aggregator: 'max',
  }).set({ ...build, engine }, 1)
  const durations = new Histogram({
    name: 'mainline_request_duration_seconds',
    help: 'Duration of requests until the response.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  const turnedAway = new Counter({
    name: 'mainline_shed_total',
    help: 'Requests rejected because of overload or a limit, by the limit.',
    labelNames: ['reason'],
    registers: [registry],
  })
  // Counted in a map and copied on collection: looking a series up by its labels costs more than the increment.
  const counts = new Map<string, { operation: string; status: number; code: number; count: number }>()
  new Counter({
    name: 'mainline_requests_total',
    help: 'Completed requests, by operation, HTTP status and bk_error_code; 0 is success.',
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
        help: 'Requests in progress.',
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
