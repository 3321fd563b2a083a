import { Problem } from '@mainline/contract'
import type { FastifyInstance } from 'fastify'
import { build } from '../build.ts'
import { StorageOutage } from '../storage/index.ts'
import type { Metrics } from './metrics.ts'

/** The server is stopping: load balancers send new requests elsewhere. */
export class Stopping extends Error {}

export interface ProbeParts {
  /** Rejects while requests should go to another server. */
  ready(): Promise<void>
  readonly metrics: Metrics
}

const { version, commit } = build
const identity = { version, ...(commit && { commit }) }

/** For what watches the server: is the process alive, should it get requests, how is it doing. */
export function serveProbes(app: FastifyInstance, { ready, metrics }: ProbeParts): void {
  app.get('/healthz', async () => ({ status: 'alive', ...identity }))
  app.get('/readyz', async (_request, reply) => {
    const failure = await ready().then(
      () => undefined,
      (error: unknown) => error ?? new Error(),
    )
    const status = failure === undefined ? 'ready' : reasonOf(failure)
    return reply.code(failure === undefined ? 200 : 503).send({ status, ...identity })
  })
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', metrics.contentType)
    return metrics.text()
  })
}

/** In words that any client may read: never the text of an error of the database. */
function reasonOf(failure: unknown): string {
  if (failure instanceof Stopping) return 'stopping'
  if (!(failure instanceof StorageOutage)) {
    // A damaged or foreign file says why it is not written to.
    return failure instanceof Problem ? failure.message : 'storage does not answer'
  }
  if (failure.reason === 'diskFull') return 'the disk of the storage is full'
  return failure.reason === 'unreachable' ? 'storage does not answer' : 'storage cannot be written'
}
