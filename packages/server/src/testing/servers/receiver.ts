// A receiver of callbacks: a real server on a real socket that stores requests and answers as configured.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { selfSigned } from './self-signed.ts'

export interface Received {
  readonly method: string
  /** Including its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
  readonly delayMs?: number
  /** The answer is held back until this resolves. */
  readonly until?: Promise<unknown>
  /** Instead of an answer: none at all; a closed connection; a truncated answer; headers followed by an endless body. */
  readonly instead?: 'hang' | 'reset' | 'stall' | 'endless'
}

/** The answer to the nth request, counted from 0. */
export type Script = Reply | ((request: Received, nth: number) => Reply)

export interface Receiver {
  readonly url: string
  readonly port: number
  /** All received requests, in order. */
  readonly requests: readonly Received[]
  /** Number of connections opened to it. */
  readonly connections: () => number
  /** Replaces the answers from now on. */
  answer(script: Script): void
  /** Waits until so many requests have arrived in total. */
  received(count: number): Promise<readonly Received[]>
  close(): Promise<void>
}

export async function startReceiver(
  first: Script = { body: 'ok' },
  { tls = false, port = 0 }: { tls?: boolean; port?: number } = {},
): Promise<Receiver> {
  let script = first
  let connections = 0
  const requests: Received[] = []
  const waiting = new Set<() => void>()
  const server = tls ? createTlsServer(selfSigned) : createServer()
  server.on('connection', () => connections++)
  server.on('request', async (request, response) => {
    const body = Buffer.concat(await request.toArray().catch(() => [])).toString()
    const received = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
    requests.push(received)
    const reply = typeof script === 'function' ? script(received, requests.length - 1) : script
    for (const look of waiting) look()
    await give(response, reply)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo

  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${address.port}/`,
    port: address.port,
    requests,
    connections: () => connections,
    answer: (next) => {
      script = next
    },
    received: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests.length < count) return
          waiting.delete(look)
          resolve(requests)
        }
        waiting.add(look)
        look()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function give(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.delayMs !== undefined) await pause(reply.delayMs, undefined, { ref: false })
  await reply.until
  if (reply.instead === 'hang') return
  if (reply.instead === 'reset') return void response.socket?.resetAndDestroy()
  response.writeHead(reply.status ?? 200, reply.headers)
  if (reply.instead === undefined) return void response.end(reply.body ?? '')
  response.write(reply.body ?? '')
  if (reply.instead === 'stall') return
  while (!response.destroyed) {
    response.write('.')
    await pause(5, undefined, { ref: false })
  }
}
