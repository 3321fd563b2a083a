import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { cpus } from 'node:os'
import { createHistogram } from 'node:perf_hooks'

export interface Load {
  readonly port: number
  readonly connections: number
  readonly milliseconds: number
  /** The bytes of the next request, as built by `post`. */
  readonly next: () => string
  /** Text that every response must contain: a fast failure must not count as speed. */
  readonly mark: string
}

/** What was measured during the run; times are in microseconds. */
export interface Sample {
  readonly perSecond: number
  readonly p50: number
  readonly p99?: number
  /** The share of one core that the load generator used. Near 1 the generator was the bottleneck. */
  readonly generatorBusy?: number
  /** The share of all cores in use, by any process. */
  readonly machineBusy?: number
}

/** Time limit of a response, in milliseconds. */
const patience = 30_000
const longestRecorded = 60_000_000

interface Sent {
  readonly body?: unknown
  readonly token?: string | undefined
}

export function request(method: string, path: string, { body, token }: Sent = {}): string {
  const json = body === undefined ? '' : JSON.stringify(body)
  const identity = token === undefined ? '' : `authorization: Bearer ${token}\r\n`
  const content = json ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n` : ''
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${identity}${content}\r\n${json}`
}

export const post = (path: string, body: unknown): string => request('POST', path, { body })

export const get = (path: string): string => request('GET', path)

/**
 * Keeps every connection busy with one request at a time. Uses plain sockets: node:http costs a client more than the bare server spends on its
 * response, so the client would be the limit.
 */
export async function load({ port, connections, milliseconds, next, mark }: Load): Promise<Sample> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const times = createHistogram({ lowest: 1, highest: longestRecorded, figures: 3 })
  const expected = Buffer.from(mark)
  const [before, idle] = [process.cpuUsage(), idleTime()]
  const started = performance.now()
  const deadline = started + milliseconds
  const answered = (took: number) => times.record(Math.min(longestRecorded, Math.max(1, Math.round(took * 1000))))
  try {
    await Promise.all(sockets.map((socket) => keepBusy(socket, { next, expected, deadline, answered })))
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  const elapsed = performance.now() - started
  const used = process.cpuUsage(before)
  return {
    perSecond: times.count / (milliseconds / 1000),
    p50: times.percentile(50),
    p99: times.percentile(99),
    generatorBusy: (used.user + used.system) / 1000 / elapsed,
    machineBusy: Math.max(0, 1 - (idleTime() - idle) / (elapsed * cpus().length)),
  }
}

/** Of all cores together, in milliseconds. */
const idleTime = () => cpus().reduce((sum, { times }) => sum + times.idle, 0)

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

interface Work {
  next(): string
  expected: Buffer
  deadline: number
  answered(took: number): void
}

/** Ends after the first response past the deadline, so that nothing keeps running during the next measurement. */
function keepBusy(socket: Socket, { next, expected, deadline, answered }: Work): Promise<void> {
  return new Promise((resolve, reject) => {
    let held: Buffer | undefined
    /** Bytes still to come of a response that is too large to be joined. */
    let missing = 0
    let sent = 0
    const send = () => {
      sent = performance.now()
      socket.write(next(), 'utf8')
    }
    socket.on('data', (part: Buffer) => {
      if (missing > 0) {
        missing -= part.length
        if (missing > 0) return
        if (missing < 0) return reject(new Error('more was answered than was announced'))
      } else {
        const bytes = held ? Buffer.concat([held, part]) : part
        const size = sizeOf(bytes)
        if (size !== undefined && size > putTogether && isGood(bytes, expected)) {
          missing = size - bytes.length
          held = undefined
          return
        }
        if (size === undefined || bytes.length < size) {
          held = bytes
          return
        }
        held = undefined
        if (bytes.length > size || !isGood(bytes, expected))
          return reject(new Error(`not the answer wanted:\n${bytes}`))
      }
      const now = performance.now()
      if (now > deadline) return resolve()
      answered(now - sent)
      send()
    })
    socket.setTimeout(patience, () => reject(new Error(`no answer within ${patience} ms`)))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
    send()
  })
}

/** Larger responses are checked by their beginning and counted to their end: joining a megabyte would distort the measurement. */
const putTogether = 65_536

const blank = Buffer.from('\r\n\r\n')

/** Head and body together; undefined until the head is complete. */
function sizeOf(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(blank)
  if (end < 0) return undefined
  const length = /\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1]
  if (length === undefined) throw new Error('an answer without a content-length cannot be measured here')
  return end + blank.length + Number(length)
}

/** 'HTTP/1.1 200': the status begins at the tenth byte. */
const isGood = (bytes: Buffer, expected: Buffer) =>
  bytes.toString('latin1', 9, 12) === '200' && bytes.includes(expected)
