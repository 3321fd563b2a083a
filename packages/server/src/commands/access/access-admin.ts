import { userInfo } from 'node:os'
import type { ServeConfig } from '../../common/config.ts'
import { type AccessAdmin, connectControlSocket } from '../serve/control-socket.ts'

/** For the audit log: the user of the operating system. */
export const operator = () => `${userInfo().username} (command line)`

/** With embedded storage a running server does the work; otherwise this process opens the storage. */
export async function withAccessAdmin<T>(
  config: ServeConfig,
  work: (accessAdmin: AccessAdmin) => Promise<T>,
): Promise<T> {
  const reached = config.databaseUrl ? undefined : await connectControlSocket(config.dataDir)
  if (reached) return work(reached)
  // Loaded only if needed, because asking a server is quick.
  const [{ openAccessAdmin }, { pino }] = await Promise.all([import('../../service.ts'), import('pino')])
  const { accessAdmin, close } = await openAccessAdmin(config, pino({ level: 'warn' }))
  try {
    return await work(accessAdmin)
  } finally {
    await close()
  }
}
