import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A network between the service and its database that can be slow, cut, silent, or lead to another machine. */
export interface Link {
  readonly port: number
  /** Every piece of data takes so much longer, in milliseconds. */
  delay(milliseconds: number): void
  /** What is sent goes nowhere and nobody is told. Connections that are open stay like that for ever. */
  swallow(): void
  /** Breaks every connection. Until it is mended, no new one is let through. */
  cut(): void
  /** As it was, to the database it led to or to another. */
  mend(port?: number): void
  close(): void
}

export async function startLink(first: number): Promise<Link> {
  let [target, state, slowness] = [first, 'open' as 'open' | 'cut' | 'silent', 0]
  const sockets = new Set<Socket>()
  /** Something of theirs was swallowed: they cannot go on in the middle. */
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
