import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Pipelined requests that wait behind another on the same connection; browsers, proxies and HTTP clients send one at a time. */
const maxPipelined = 32

/**
 * Closes connections that pipeline requests without waiting for answers. Node processes all requests of a packet before other connections: 25,000
 * anonymous requests over 50 connections delayed all others by 11 s.
 */
export function limitPipelining(app: FastifyInstance, onClose: () => void): void {
  const { server } = app
  const [handle] = server.listeners('request') as RequestListener[]
  if (!handle) throw new Error('the server has no listener yet')
  const waiting = new WeakMap<Socket, number>()
  server.off('request', handle)
  server.on('request', (request, response) => {
    const { socket } = request
    // Requests of the same packet beyond the limit.
    if (socket.destroyed) return
    // A response is assigned to its connection once earlier ones have been sent.
    if (response.socket !== null) return handle(request, response)
    const count = (waiting.get(socket) ?? 0) + 1
    if (count > maxPipelined) {
      onClose()
      return void socket.destroy()
    }
    waiting.set(socket, count)
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1))
    return handle(request, response)
  })
}
