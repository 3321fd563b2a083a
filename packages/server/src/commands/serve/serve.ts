import cluster from 'node:cluster'
import {
  refuseIncompleteAuth,
  refuseLonelyWorkers,
  refuseOpenToOthers,
  refuseOriginsWithoutTokens,
} from '../../common/settings/combinations.ts'
import { readServerArguments } from './server-arguments.ts'

/** Runs one process, or a supervisor with several workers on one port. */
export async function serveCommand(args: string[]): Promise<void> {
  const config = readServerArguments('serve', args, 0).config
  refuseOpenToOthers(config)
  refuseOriginsWithoutTokens(config)
  refuseIncompleteAuth(config)
  refuseLonelyWorkers(config)
  // A supervisor does not serve requests, so it does not load the service.
  if (config.workers > 1 && cluster.isPrimary) return (await import('./supervisor.ts')).superviseWorkers(config)
  await (await import('./server.ts')).runServer(config)
}
