import { Problem } from '@mainline/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { build } from '../../common/build.ts'
import { StorageOutage } from '../../storage/index.ts'
import type { Metrics } from './metrics.ts'

/** Health checks, requested every few seconds: always admitted, and logged only when they fail. */
export const probePaths = new Set(['/healthz', '/readyz', '/metrics'])

/** The server is stopping: load balancers send new requests elsewhere. */
export class Stopping extends Error {}

interface ProbeParts {
  /** Rejects while the server is not ready for requests. */
  ready(): Promise<void>
  /** Reasons why background work is delayed although requests are answered. */
  delays(): Readonly<Record<string, string>>
  readonly metrics: Metrics
  /** Refuses callers that may not read metrics. */
  admitToMetrics(request: FastifyRequest): unknown
}

const { version, commit } = build
const identity = { version, ...(commit && { commit }) }

/** Liveness, readiness and metrics. */
export function serveProbes(app: FastifyInstance, { ready, delays, metrics, admitToMetrics }: ProbeParts): void {
  app.get('/healthz', async () => ({ status: 'alive', ...identity }))
  app.get('/readyz', async (_request, reply) => {
    const failure = await ready().then(
      () => undefined,
      (error: unknown) => error ?? new Error(),
    )
    const status = failure === undefined ? 'ready' : reasonOf(failure)
    return reply.code(failure === undefined ? 200 : 503).send({ status, ...identity, ...delays() })
  })
  const text = collectedSeldom(() => metrics.text())
  app.get('/metrics', async (request, reply) => {
    await admitToMetrics(request)
    reply.header('content-type', metrics.contentType)
    return text()
  })
}

/** Faster requests get the previous text: collecting takes milliseconds, and no scraper asks this often. */
const maxCollectionsPerSecond = 20

function collectedSeldom(collect: () => Promise<string>): () => Promise<string> {
  let last: Promise<string> | undefined
  let [second, collections] = [0, 0]
  return () => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) [second, collections] = [now, 0]
    if (last && collections >= maxCollectionsPerSecond) return last
    collections++
    last = collect()
    return last
  }
}

/** Probes are public, so the reason never contains an error message of the database. */
function reasonOf(failure: unknown): string {
  if (failure instanceof Stopping) return 'stopping'
  if (!(failure instanceof StorageOutage)) {
    // A damaged or foreign file says why it is not written to.
    return failure instanceof Problem ? failure.message : 'storage does not answer'
  }
  if (failure.reason === 'diskFull') return 'the storage disk is full'
  return failure.reason === 'unreachable' ? 'storage does not answer' : 'storage cannot be written'
}
