import { present } from '../common/present.ts'
import type { ServerCommand } from './catalogue.ts'
import { clientCommand, helpText, noSuchCommand, serverCommand } from './help.ts'

/** Flags that other programs use in place of these commands. */
const spellings: Record<string, string> = { '--help': 'help', '-h': 'help', '--version': 'version', '-V': 'version' }

/** Runs the command of these arguments. */
export async function runCommandLine([first = 'help', ...args]: readonly string[]): Promise<void> {
  const name = Object.hasOwn(spellings, first) ? present(spellings[first]) : first
  const [client, server] = [clientCommand(name), serverCommand(name)]
  if (!client && !server) throw noSuchCommand(name)
  const asksForHelp = args.some((arg) => arg === '--help' || arg === '-h')
  if (asksForHelp) process.stdout.write(await helpText([name, ...wordOf(server, args)]))
  // A word of the server's decides between commands of the same name.
  else if (client && !server?.words?.includes(args[0] ?? ''))
    await (await import('../cli/run.ts')).runClientCommand(name, client, args)
  else if (server) await (await server.load())(args)
}

/** `token create --help` shows the help of creating; after other words it shows the help of the command. */
const wordOf = (server: ServerCommand | undefined, [word = '']: readonly string[]): string[] =>
  server?.words?.includes(word) ? [word] : []
