import manifest from '../../package.json' with { type: 'json' }
import { readServerArguments } from './serve/server-arguments.ts'

export async function versionCommand(args: string[]): Promise<void> {
  readServerArguments('version', args, 0)
  process.stdout.write(`${manifest.version}\n`)
}
