// Clients that reuse connections and obey `Connection: close`, and the result of each of their requests.
import { Agent, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'

interface Outcomes {
  answered: number
  /** Not connected: nothing was sent, so the request can safely be sent elsewhere. */
  refused: number
  /** Sent on a connection that had served a request before, and not answered. */
  lost: string[]
  /** Sent as the first request of a new connection, and not answered. */
  lostWhenNew: string[]
}

interface KeepAliveClients {
  readonly outcomes: Outcomes
  /** Ends them after the request that each is sending. */
  stop(): Promise<Outcomes>
}

/** Sends one request and resolves when the reply has arrived in full. */
type Send = () => Promise<void>
interface Client {
  readonly name: string
  readonly send: Send
  close(): void
}

class Lost extends Error {
  readonly isReused: boolean
  constructor(cause: unknown, isReused: boolean) {
    super(String(cause), { cause })
    this.isReused = isReused
  }
}

const path = '/api/v3/biz/search/0'
const body = JSON.stringify({ fields: ['bk_biz_id'] })
const headers = { 'content-type': 'application/json' }

/** Several clients of each kind; some send without a pause, others leave their connections idle for a while. */
export function startKeepAliveClients(url: string, maxPausesMs = [0, 5, 50, 300]): KeepAliveClients {
  const outcomes: Outcomes = { answered: 0, refused: 0, lost: [], lostWhenNew: [] }
  let isStopping = false
  const runs = maxPausesMs.flatMap((maxPauseMs) =>
    [poolClient(url), agentClient(url), socketClient(url)].map((client) => run(client, maxPauseMs)),
  )

  async function run({ name, send, close }: Client, maxPauseMs: number): Promise<void> {
    while (!isStopping) {
      try {
        await send()
        outcomes.answered++
      } catch (error) {
        if (isRefusal(error)) {
          outcomes.refused++
          await pause(20)
        } else {
          const isReused = error instanceof Lost ? error.isReused : true
          outcomes[isReused ? 'lost' : 'lostWhenNew'].push(`${name}: ${error}`)
        }
      }
      if (maxPauseMs > 0) await pause(Math.random() * maxPauseMs)
    }
    close()
  }
  return {
    outcomes,
    async stop() {
      isStopping = true
      await Promise.all(runs)
      return outcomes
    },
  }
}

function isRefusal(error: unknown): boolean {
  const { syscall, cause } = error as { syscall?: string; cause?: unknown }
  return syscall === 'connect' || (cause !== undefined && isRefusal(cause))
}

function poolClient(url: string): Client {
  const pool = new Pool(url, { connections: 1 })
  // Set to 0 before the first request of a new connection is written: a request may be what opens the connection.
  let requestsOfConnection = 0
  pool.on('connect', () => (requestsOfConnection = 0))
  return {
    name: 'undici pool',
    async send() {
      try {
        const reply = await pool.request({ method: 'POST', path, headers, body })
        await reply.body.json()
        requestsOfConnection++
      } catch (error) {
        if (isRefusal(error)) throw error
        throw new Lost(error, requestsOfConnection > 0)
      }
    },
    close: () => void pool.destroy(),
  }
}

function agentClient(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = () =>
    new Promise<void>((resolve, reject) => {
      const request = httpRequest(`${url}${path}`, { method: 'POST', headers, agent }, async (reply) => {
        try {
          JSON.parse(Buffer.concat(await reply.toArray()).toString())
          resolve()
        } catch (error) {
          reject(new Lost(error, request.reusedSocket))
        }
      })
      request.once('error', (error) => reject(isRefusal(error) ? error : new Lost(error, request.reusedSocket)))
      request.end(body)
    })
  return { name: 'node:http agent', send, close: () => agent.destroy() }
}

/** The simplest client: it sends at any time, unless the closing of the connection was announced. */
function socketClient(url: string): Client {
  const { hostname, port, host } = new URL(url)
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  let kept: Socket | undefined
  const opened = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(socket))
      // The listener stays, so that a reset of an idle connection is handled.
      socket.on('error', reject)
    })
  return {
    name: 'socket',
    async send() {
      // A connection that the server has closed is detected, and not used.
      const isReused = kept !== undefined && !kept.destroyed && !kept.readableEnded
      const socket = isReused && kept ? kept : await opened()
      kept = undefined
      const reply = await exchangeOn(socket, head + body).catch((error) => {
        throw new Lost(error, isReused)
      })
      if (/^connection: close/im.test(reply)) socket.destroy()
      else kept = socket.resume()
    },
    close: () => void kept?.destroy(),
  }
}

function exchangeOn(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = ''
    const settle = (end: () => void) => {
      socket.off('data', hear).off('close', cut).off('error', fail)
      end()
    }
    const hear = (part: Buffer) => {
      reply += part
      const headEnd = reply.indexOf('\r\n\r\n')
      const length = /^content-length: (\d+)/im.exec(reply)?.[1]
      if (headEnd > 0 && length && reply.length >= headEnd + 4 + Number(length)) settle(() => resolve(reply))
    }
    const cut = () => settle(() => reject(new Error(`closed after ${reply.length} bytes of the reply`)))
    const fail = (error: Error) => settle(() => reject(error))
    socket.on('data', hear).once('close', cut).once('error', fail)
    socket.write(text)
  })
}
