import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import type { Envelope } from '@mainline/contract'

export interface RawRequest {
  method?: string
  /** The path from the root of the server. */
  path: string
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array
}

interface RawAnswer extends Envelope {
  status: number
  headers: IncomingHttpHeaders
}

/** Sends the exact bytes, where fetch would correct or forbid them: Host, a missing Content-Type, invalid bytes. */
export function send(url: string, { method = 'POST', path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, path, headers, agent: false }, async (answer) => {
      try {
        const envelope = JSON.parse(Buffer.concat(await answer.toArray()).toString()) as Envelope
        resolve({ ...envelope, status: answer.statusCode ?? 0, headers: answer.headers })
      } catch (error) {
        reject(error)
      }
    })
    sent.once('error', reject)
    // As bytes, since Node would encode the headers like text.
    sent.end(Buffer.from(body ?? ''))
  })
}

/** Writes to the socket unchanged and returns everything received. */
export function exchange(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.setEncoding('utf8')
    socket.on('data', (part) => {
      answer += part
    })
    socket.once('error', reject)
    socket.once('close', () => resolve(answer))
  })
}
