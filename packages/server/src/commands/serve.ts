import cluster from 'node:cluster'
import {
  refuseIncompleteAuth,
  refuseLonelyWorkers,
  refuseOpenToOthers,
  refuseOriginsWithoutTokens,
} from '../platform/config.ts'
import { readServerArguments } from './server-arguments.ts'

/** One process that does everything, or one that leads several of them on one port. */
export async function serveCommand(args: string[]): Promise<void> {
  const config = readServerArguments('serve', args, 0).config
  refuseOpenToOthers(config)
  refuseOriginsWithoutTokens(config)
  refuseIncompleteAuth(config)
  refuseLonelyWorkers(config)
  // Whoever leads others serves nothing itself, so it need not load what does.
  if (config.workers > 1 && cluster.isPrimary) return (await import('./lead.ts')).leadWorkers(config)
  await (await import('./server.ts')).runServer(config)
}
