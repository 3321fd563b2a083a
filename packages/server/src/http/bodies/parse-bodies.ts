import { hash } from 'node:crypto'
import { batchBodyBytes, problem, rule } from '@mainline/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { asError } from '../../common/error-code.ts'
import { parseBody, parseLargeBody } from './body.ts'
import type { BodyBudget } from './body-budget.ts'
import { freeBytes } from './free-bytes.ts'
import { hashInTurns } from './hash-in-turns.ts'
import { LargeBodies, largeBodyBytes } from './large-bodies.ts'
import { readBody } from './read-body.ts'

/** Allowed JSON values in a body: a few lists of 10,000 entries; for rows, 5,000 hosts of twenty attributes. */
const maxJsonValues = 50_000
const maxRowsValues = 100_000

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body of a request with an Idempotency-Key; otherwise empty. */
    bodyHash: string
  }
}

/** Reads bodies up to the limit of their operation, and queues large ones for parsing, fair among callers. */
export function parseBodies(app: FastifyInstance, bodies: BodyBudget): void {
  app.removeAllContentTypeParsers()
  app.decorateRequest('bodyHash', '')
  const largeBodies = new LargeBodies()
  app.addContentTypeParser('*', (request: FastifyRequest, payload, done) => {
    // Read once: Fastify builds a new object on every access.
    const { config: route, bodyLimit: maxBodyBytes = 0 } = request.routeOptions
    const { operation, takes } = route
    if (operation === undefined || !request.identity) return done(problem('tooLarge', { rule: rule('noBody') }))
    const { identity } = request
    const held = bodies.hold(identity, takes ?? 'json')
    request.heldBody = held
    readBody(request, maxBodyBytes, payload, held, (error, bytes = Buffer.alloc(0)) => {
      if (error) return done(error)
      request.bodyBytes = bytes.length
      if (takes) return done(null, bytes)
      const isKeyed = request.headers['idempotency-key'] !== undefined
      if (bytes.length > largeBodyBytes) {
        const caller = `${identity.account}\n${identity.user}`
        const maxValues = maxBodyBytes > batchBodyBytes ? maxRowsValues : maxJsonValues
        const parse = async () => {
          if (isKeyed) request.bodyHash = await hashInTurns(bytes)
          return parseLargeBody(bytes, maxValues)
        }
        largeBodies
          .parse(caller, parse)
          .finally(() => freeBytes(bytes))
          .then((body) => done(null, body), done)
        return
      }
      if (isKeyed) request.bodyHash = hash('sha256', bytes, 'base64')
      try {
        done(null, parseBody(bytes))
      } catch (fault) {
        done(asError(fault))
      }
    })
  })
}
