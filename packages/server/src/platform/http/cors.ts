// CORS: web pages of other origins that may call the API from a browser, when the operator has listed them.
import type { FastifyInstance } from 'fastify'

/** What scripts may read of an answer besides its body. */
const exposed = ['cc_request_id', 'ETag', 'Retry-After', 'Allow', 'WWW-Authenticate', 'Content-Disposition'].join(', ')
const methods = 'GET, POST, PUT, DELETE'
const maxAgeSeconds = 600

/**
 * Answers preflight requests and marks answers as readable for pages of the listed origins. `Access-Control-Allow-Credentials` is never
 * sent, so browsers send no cookies along: a page acts with a token of its own, never with the session of the person before the screen.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith('/api/')) return done()
    reply.header('vary', 'Origin')
    const { origin, 'access-control-request-headers': asked } = request.headers
    if (origin === undefined || !origins.includes(origin)) return done()
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed)
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (!isPreflight) return done()
    reply
      .code(204)
      .header('access-control-allow-methods', methods)
      .header('access-control-max-age', String(maxAgeSeconds))
    // Which headers mean something is for the request itself to find out; the origin is trusted to send any.
    if (asked !== undefined) reply.header('access-control-allow-headers', asked)
    reply.send()
  })
}
