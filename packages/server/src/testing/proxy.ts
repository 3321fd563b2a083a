import { connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy {
  /** The database behind the proxy. */
  readonly url: string
  /**
   * What happens to the COMMIT of the transaction that speaks of `name`: it arrives and its answer is lost, or it never
   * arrives. Others, such as the numbering in the background, are left alone.
   */
  cutCommitOf(name: string, how: 'after it arrived' | 'before it arrives', options?: { thenRefuse?: boolean }): void
  /** The database is back. */
  accept(): void
  /** How many commits have been cut. */
  readonly cuts: number
  close(): void
}

/** Stands between the service and PostgreSQL and breaks the connection at the worst moment. */
export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  let plan: { name: string; how: string; thenRefuse: boolean } | undefined
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
        database.end()
      })
    }
    database.on('data', (chunk) => client.write(chunk))
    let meant = false
    client.on('data', (chunk) => {
      meant ||= plan !== undefined && chunk.includes(plan.name)
      if (plan && meant && chunk.includes('COMMIT\0')) {
        cuts++
        refusing = plan.thenRefuse
        if (plan.how === 'after it arrived') database.write(chunk)
        plan = undefined
        // Who stays away is not to be had on connections that happen to be open, either.
        if (refusing) for (const socket of sockets) if (socket !== database) socket.destroy()
        return void client.destroy()
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
