import { Counter, Gauge, type Registry } from 'prom-client'
import type { Tail } from '../../feed/index.ts'
import type { Pushed } from './push.ts'
import type { Sender } from './sender.ts'

const labelNames = ['subscription']

/** What Prometheus is told of the subscriptions that this process sends for. */
export function measure(registry: Registry, tail: Tail, senders: () => Iterable<Sender>) {
  const registers = [registry]
  // Finding the right series by its labels costs more than counting: they are looked for when somebody asks.
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
    help: 'Pushes that were not confirmed, by whether the receiver rejected the event or was not reached.',
    labelNames: [...labelNames, 'result'],
    registers,
  })
  const lag = new Gauge({
    name: 'mainline_subscription_lag_events',
    help: 'Records of the log that the subscription has not passed yet.',
    labelNames,
    registers,
    async collect() {
      const head = await tail.head().catch(() => undefined)
      this.reset()
      if (head === undefined) return
      for (const { ledger } of senders()) {
        this.set({ subscription: ledger.id }, Math.max(0, head - ledger.position))
      }
    },
  })
  const lagTime = new Gauge({
    name: 'mainline_subscription_lag_seconds',
    help: 'Age of the oldest event that is not delivered yet; dead letters do not count.',
    labelNames,
    registers,
    async collect() {
      const now = Date.now()
      const times = await Promise.all(
        // What cannot be read now is left out.
        Array.from(senders(), async (sender) => [sender.ledger.id, await sender.lagTime(now)] as const),
      ).catch(() => [])
      this.reset()
      for (const [subscription, time] of times) this.set({ subscription }, time / 1_000)
    },
  })
  new Gauge({
    name: 'mainline_watchers',
    help: 'Clients, and parts of the server itself, that wait for the log to grow.',
    registers,
    collect() {
      this.set(tail.waiting())
    },
  })
  return {
    pushed(subscription: number, { attempt: { result } }: Pushed): void {
      pushes.set(subscription, (pushes.get(subscription) ?? 0) + 1)
      if (result !== 'confirmed') failures.inc({ subscription, result })
    },
    /** Gone, or another process's. */
    forget(subscription: number): void {
      pushes.delete(subscription)
      for (const metric of [lag, lagTime]) metric.remove({ subscription })
      for (const result of ['rejected', 'unreachable']) failures.remove({ subscription, result })
    },
  }
}
