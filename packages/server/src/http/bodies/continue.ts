import type { IncomingMessage, Server } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * A client that sends `Expect: 100-continue` waits before it sends the body. Node would let it go ahead immediately; we do so
 * once the request is admitted, so that one that is refused need not send the body at all.
 */
export function holdBackContinue(server: Server): (request: FastifyRequest, reply: FastifyReply) => void {
  const waiting = new WeakSet<IncomingMessage>()
  server.on('checkContinue', (request, response) => {
    waiting.add(request)
    server.emit('request', request, response)
  })
  return (request, reply) => {
    const { headers } = request
    if (headers.expect === undefined || !waiting.delete(request.raw)) return
    const length = Number(headers['content-length'] ?? 0)
    if (length <= (request.routeOptions.bodyLimit ?? 0)) reply.raw.writeContinue()
  }
}
