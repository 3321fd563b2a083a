import { Gauge, type Registry } from 'prom-client'
import type { Projector } from './projector.ts'

export function measurePast(registry: Registry, projector: Projector): void {
  new Gauge({
    name: 'mainline_past_lag_records',
    help: 'Records of the log that are not part of the past yet.',
    registers: [registry],
    // Every process reports what it has seen when it looked last.
    aggregator: 'max',
    collect() {
      this.set(projector.lag())
    },
  })
}
