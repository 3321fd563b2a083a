import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export interface Metrics {
  readonly registry: Registry
  readonly contentType: string
  text(): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return { registry, contentType: registry.contentType, text: () => registry.metrics() }
}

/** Times every operation by its name and the status it was answered with. */
export function measure(app: FastifyInstance, { registry }: Metrics): void {
  const durations = new Histogram({
    name: 'mainline_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  // Finding the right series by its labels costs more than counting in it.
  const timers = new Map<string, ReturnType<typeof durations.labels>>()
  const timer = (operation: string, status: number) => {
    const key = `${operation} ${status}`
    const known = timers.get(key) ?? durations.labels({ operation, status })
    timers.set(key, known)
    return known
  }
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.operation
    if (operation) timer(operation, reply.statusCode).observe(reply.elapsedTime / 1000)
    done()
  })
}
