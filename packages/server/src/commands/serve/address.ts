import { once } from 'node:events'
import { createServer } from 'node:net'
import type { ServeConfig } from '../../common/config.ts'
import { errorCodeOf, messageOf } from '../../common/error-code.ts'
import { Refusal } from '../../common/refusal.ts'

type Address = Pick<ServeConfig, 'host' | 'port'>

/**
 * Refuses an address that cannot be bound. Called before the storage is opened: a server that cannot listen must not
 * migrate the schema of a running one. Returns the port, a free one in place of 0.
 */
export async function probeAddress({ host, port }: Address): Promise<number> {
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
    const bound = server.address()
    return typeof bound === 'object' && bound ? bound.port : port
  } catch (error) {
    throw unusable({ host, port }, error)
  } finally {
    server.close()
  }
}

/** Errors caused by the address, not by the port. */
const addressCodes = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL']

export function unusable({ host, port }: Address, error: unknown): Refusal {
  const code = errorCodeOf(error)
  const why = code === 'EADDRINUSE' ? 'another program is listening there' : messageOf(error)
  const other = addressCodes.includes(code) ? 'address with --host or HOST' : 'port with --port or PORT'
  return new Refusal(`Cannot listen on ${host}:${port}: ${why}. Choose another ${other}.`)
}
