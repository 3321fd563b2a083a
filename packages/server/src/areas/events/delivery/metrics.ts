import { Counter, Gauge, type Registry } from 'prom-client'
import type { Tail } from '../feed/index.ts'
import type { Pushed } from './attempt/push.ts'
import type { Sender } from './sender.ts'

const labelNames = ['subscription']

/** Metrics of the subscriptions that this process delivers. */
export function measure(registry: Registry, tail: Tail, senders: () => Iterable<Sender>) {
  const registers = [registry]
  // Counted in a map and copied on collection: looking a series up by its labels costs more than the increment.
  const pushes = new Map<number, number>()
  new Counter({
    name: 'mainline_subscription_attempts_total',
    help: 'Pushes.',
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const [subscription, count] of pushes) this.inc({ subscription }, count)
    },
  })
  const failures = new Counter({
    name: 'mainline_subscription_failures_total',
    help: 'Pushes that were not confirmed, by whether the receiver rejected the event or was unreachable.',
    labelNames: [...labelNames, 'result'],
    registers,
  })
  const lag = new Gauge({
    name: 'mainline_subscription_lag_events',
    help: 'Log records that the subscription has not processed yet.',
    labelNames,
    registers,
    async collect() {
      const head = await tail.head().catch(() => undefined)
      this.reset()
      if (head === undefined) return
      for (const { progress } of senders()) {
        this.set({ subscription: progress.id }, Math.max(0, head - progress.position))
      }
    },
  })
  const lagMs = new Gauge({
    name: 'mainline_subscription_lag_seconds',
    help: 'Age of the oldest event that is not delivered yet; dead letters do not count.',
    labelNames,
    registers,
    async collect() {
      const now = Date.now()
      const times = await Promise.all(
        // Omitted if the storage cannot be read.
        Array.from(senders(), async (sender) => [sender.progress.id, await sender.lagMs(now)] as const),
      ).catch(() => [])
      this.reset()
      for (const [subscription, time] of times) this.set({ subscription }, time / 1_000)
    },
  })
  new Gauge({
    name: 'mainline_watchers',
    help: 'Clients and internal tasks waiting for new log records.',
    registers,
    collect() {
      this.set(tail.waiting())
    },
  })
  return {
    pushed(subscription: number, { result, attempts: { length } }: Pushed): void {
      pushes.set(subscription, (pushes.get(subscription) ?? 0) + length)
      if (result !== 'confirmed') failures.inc({ subscription, result }, length)
    },
    /** Deleted, or delivered by another process. */
    forget(subscription: number): void {
      pushes.delete(subscription)
      for (const metric of [lag, lagMs]) metric.remove({ subscription })
      for (const result of ['rejected', 'unreachable']) failures.remove({ subscription, result })
    },
  }
}
