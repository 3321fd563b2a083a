// Takes callbacks and answers them, as little as possible: the same for whoever sends.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Push {
  readonly headers: Record<string, string>
  readonly body: string
}

/** How many have arrived, and what the first of them were. */
export interface Arrived {
  readonly count: number
  readonly first: readonly Push[]
}

const kept = 100
const first: Push[] = []
let count = 0

const own = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
  ) as Record<string, string>

await once(process, 'message')
process.on('disconnect', () => process.exit())
const server = createServer((request, response) => {
  count++
  if (first.length < kept) {
    const push = { headers: own(request.headers), body: '' }
    first.push(push)
    request.on('data', (part) => {
      push.body += part
    })
  } else request.resume()
  request.on('end', () => response.end('ok'))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.on('message', () => process.send?.({ count, first } satisfies Arrived))
process.send?.((server.address() as AddressInfo).port)
