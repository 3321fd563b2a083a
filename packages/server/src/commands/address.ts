import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { ServeConfig } from '../platform/config.ts'
import { Refusal } from '../platform/refusal.ts'

type Address = Pick<ServeConfig, 'host' | 'port'>

/**
 * Refuses an address that cannot be bound. Asked before the storage is opened: a server that cannot listen must not
 * migrate the schema of the one that does. Returns the port, a free one in place of 0.
 */
export async function probeAddress({ host, port }: Address): Promise<number> {
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
    return (server.address() as AddressInfo).port
  } catch (error) {
    throw unusable({ host, port }, error)
  } finally {
    server.close()
  }
}

/** What is wrong with the address, not with the port. */
const addressCodes = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL']

export function unusable({ host, port }: Address, error: unknown): Refusal {
  const { code = '', message } = error as NodeJS.ErrnoException
  const why = code === 'EADDRINUSE' ? 'another program is listening there' : message
  const other = addressCodes.includes(code) ? 'address with --host or HOST' : 'port with --port or PORT'
  return new Refusal(`Cannot listen on ${host}:${port}: ${why}. Choose another ${other}.`)
}
