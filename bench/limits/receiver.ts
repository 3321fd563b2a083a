// A minimal receiver of callbacks, the same for both senders. Requests of Mainline wait at a valve, so that it sends nothing while the other one is
// measured.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Push {
  readonly headers: Record<string, string>
  readonly body: string
}

/** The number of requests let through the valve, and the bodies of the first ones. */
export interface Arrived {
  readonly count: number
  readonly first: readonly Push[]
}

export const valve = '/valve'
const kept = 100
const first: Push[] = []
const waiting: ServerResponse[] = []
let count = 0
let isOpen = false

const own = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
  ) as Record<string, string>

/** How the receiver answers. */
export interface Receiving {
  /** Before each answer, once the valve is open. */
  readonly delayMs?: number
}

async function serve(): Promise<void> {
  const [{ delayMs = 0 }] = (await once(process, 'message')) as [Receiving]
  process.on('disconnect', () => process.exit())
  const server = createServer((request, response) => {
    const isMainline = request.url === valve
    if (isMainline && first.length < kept) {
      const push = { headers: own(request.headers), body: '' }
      first.push(push)
      request.on('data', (part) => {
        push.body += part
      })
    } else request.resume()
    request.on('end', () => {
      if (!isMainline) return response.end('ok')
      if (!isOpen) return void waiting.push(response)
      count++
      return delayMs > 0 ? void setTimeout(() => response.end('ok'), delayMs) : response.end('ok')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.on('message', ({ open }: { open: boolean }) => {
    process.send?.({ count, first } satisfies Arrived)
    isOpen = open
    if (open) for (const response of waiting.splice(0)) response.end('ok')
  })
  process.send?.((server.address() as AddressInfo).port)
}

// Other modules import only its types.
if (process.send) await serve()
