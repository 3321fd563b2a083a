import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Service } from '../../service.ts'
import { stopHandler } from './stop-signal.ts'
import { leaveSupervisor, type Stopping } from './worker.ts'

/** How long a stop may take after the drain time. `TimeoutStopSec` in mainline.service is longer. */
export const stopTimeoutMs = 30_000

/** Idle connections are closed after this time: active clients have received `Connection: close` by then. */
const idleMs = 2_000

export function createStopping(service: Service, drainMs: number, log: Logger): Stopping {
  let closing: Promise<void> | undefined
  let timeout: NodeJS.Timeout | undefined
  const cutOffAfter = (timeoutMs: number) => {
    clearTimeout(timeout)
    timeout = setTimeout(() => {
      log.warn({ timeout_ms: timeoutMs }, 'running requests took too long and are aborted')
      process.exit(1)
    }, timeoutMs).unref()
  }
  const close = async () => {
    const startedAt = performance.now()
    await service.close()
    await leaveSupervisor()
    log.info({ stop_ms: Math.round(performance.now() - startedAt) }, 'stopped')
    process.exit(0)
  }
  const drainAndClose = async () => {
    service.drain(idleMs)
    if (drainMs > 0 && !closing) {
      log.info({ drain_ms: drainMs }, 'draining: /readyz answers 503, requests are still served')
      await pause(drainMs)
    }
    log.info('stopping: waiting for running requests')
    cutOffAfter(stopTimeoutMs)
    closing ??= close()
  }
  return {
    stop: stopHandler(drainAndClose, () => {
      log.warn('stopped by a second signal: running requests are aborted')
      process.exit(1)
    }),
    leave() {
      if (closing) return
      // Advertised in `Keep-Alive`: clients do not reuse a connection that has been idle for longer.
      const { keepAliveTimeout, keepAliveTimeoutBuffer } = service.app.server
      const keptMs = keepAliveTimeout + keepAliveTimeoutBuffer
      log.info({ idle_ms: keptMs }, 'replaced by another worker: connections are closed after their next response')
      service.drain(keptMs)
      cutOffAfter(keptMs + stopTimeoutMs)
      closing = close()
    },
  }
}
