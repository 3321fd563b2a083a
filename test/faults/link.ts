import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A TCP proxy between the service and its database that can be slow, cut, silent, or switched to another machine. */
export interface Link {
  readonly port: number
  /** Delay of every chunk of data, in milliseconds. */
  delay(milliseconds: number): void
  /** Drops all data silently. Open connections stay open indefinitely. */
  swallow(): void
  /** Breaks every connection, and refuses new ones until repaired. */
  cut(): void
  /** Restores the connection to the same or another database. */
  mend(port?: number): void
  close(): void
}

export async function startLink(first: number): Promise<Link> {
  let [target, state, slowness] = [first, 'open' as 'open' | 'cut' | 'silent', 0]
  const sockets = new Set<Socket>()
  /** Some of their data was dropped, so they cannot continue. */
  const lost = new WeakSet<Socket>()
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    if (state === 'cut') return void client.destroy()
    const database = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      let order = Promise.resolve()
      from.on('data', (chunk) => {
        if (state === 'silent') lost.add(client)
        if (lost.has(client)) return
        if (slowness === 0) return void to.write(chunk)
        order = order.then(() => pause(slowness)).then(() => void to.write(chunk))
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    delay(milliseconds) {
      slowness = milliseconds
    },
    swallow() {
      state = 'silent'
    },
    cut() {
      state = 'cut'
      breakAll()
    },
    mend(port = target) {
      target = port
      state = 'open'
      slowness = 0
    },
    close() {
      server.close()
      breakAll()
    },
  }
}
