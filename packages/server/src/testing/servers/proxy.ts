import { connect, createServer, type Socket } from 'node:net'

/**
 * `after it arrived`: the COMMIT may still be running when the client notices; `after it was answered`: it was executed, and only the answer is lost;
 * `before it arrives late`: it arrives half a second after the client has noticed.
 */
type Cut = 'before it arrives' | 'before it arrives late' | 'after it arrived' | 'after it was answered'

export interface CuttingProxy {
  /** The address of the database through the proxy. */
  readonly url: string
  /** Cuts the connection of the transaction that mentions `name` at its COMMIT. Others, such as background numbering, are not affected. */
  cutCommitOf(name: string, how: Cut, options?: { thenRefuse?: boolean }): void
  /** Makes the database reachable again. */
  accept(): void
  /** Number of interrupted commits. */
  readonly cuts: number
  close(): void
}

/** A proxy between the service and PostgreSQL that breaks connections at critical moments. */
export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  let plan: { name: string; how: Cut; thenRefuse: boolean } | undefined
  let refusing = false
  let cuts = 0
  const sockets = new Set<Socket>()

  const server = createServer((client) => {
    if (refusing) return void client.destroy()
    const database = connect(Number(target.port), target.hostname)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        if (!isLate) database.end()
      })
    }
    database.on('data', (chunk) => client.write(chunk))
    let [meant, isLate] = [false, false]
    client.on('data', (chunk) => {
      meant ||= plan !== undefined && chunk.includes(plan.name)
      if (plan && meant && chunk.includes('COMMIT\0')) {
        const { how, thenRefuse } = plan
        plan = undefined
        cuts++
        const cut = () => {
          refusing = thenRefuse
          // An unreachable database is unreachable on open connections, too.
          if (refusing) for (const socket of sockets) if (socket !== database) socket.destroy()
          client.destroy()
        }
        if (how === 'after it was answered') database.removeAllListeners('data').once('data', cut)
        if (how === 'before it arrives late') {
          isLate = true
          setTimeout(() => database.end(chunk), 500)
        } else if (how !== 'before it arrives') database.write(chunk)
        if (how !== 'after it was answered') cut()
        return
      }
      database.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(databaseUrl)
  url.port = String(typeof address === 'object' && address ? address.port : 0)
  return {
    url: url.href,
    get cuts() {
      return cuts
    },
    cutCommitOf(name, how, { thenRefuse = false } = {}) {
      plan = { name, how, thenRefuse }
    },
    accept() {
      refusing = false
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
