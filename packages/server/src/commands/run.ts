import { clientCommand, helpText, noSuchCommand, serverCommand } from './help.ts'

/** Spellings of commands that other programs have as flags. */
const spellings: Record<string, string> = { '--help': 'help', '-h': 'help', '--version': 'version', '-V': 'version' }

/** Runs what was typed behind the name of the program. */
export async function runCommandLine([first = 'help', ...args]: readonly string[]): Promise<void> {
  const name = Object.hasOwn(spellings, first) ? (spellings[first] as string) : first
  const [client, server] = [clientCommand(name), serverCommand(name)]
  if (!client && !server) throw noSuchCommand(name)
  const asksForHelp = args.some((arg) => arg === '--help' || arg === '-h')
  if (asksForHelp) process.stdout.write(await helpText([name]))
  else if (client) await (await import('./client/run.ts')).runClientCommand(name, client, args)
  else if (server) await (await server.load())(args)
}
