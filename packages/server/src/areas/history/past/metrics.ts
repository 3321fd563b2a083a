import { Gauge, type Registry } from 'prom-client'
import type { Projector } from './projector.ts'

export function measurePast(registry: Registry, projector: Projector): void {
  new Gauge({
    name: 'mainline_past_lag_records',
    help: 'Records of the log that are not part of the past yet.',
    registers: [registry],
    // Of several processes one derives it; the others report 0.
    aggregator: 'max',
    collect() {
      this.set(projector.lag())
    },
  })
}
