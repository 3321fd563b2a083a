// The command line.
import manifest from '../package.json' with { type: 'json' }
import { ownHelpOf, type ServerCommand, serverCommands } from './commands/catalogue.ts'
import { clientCommands, helpOf } from './commands/client/catalogue.ts'
import { didYouMean } from './platform/nearest.ts'
import { Refusal, refusalBehind } from './platform/refusal.ts'

function overview(): string {
  const width = Math.max(...Object.keys({ ...clientCommands, ...serverCommands }).map((name) => name.length))
  const listed = (commands: Record<string, { summary: string }>) =>
    Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    'Usage: mainline <command> [flags]',
    '',
    'Ask a server:',
    '',
    ...listed(clientCommands),
    '',
    'Be a server, or look after its storage:',
    '',
    ...listed(serverCommands),
    '',
    "'mainline <command> --help' lists the flags.",
    '',
  ].join('\n')
}

async function run(name: string, args: string[]): Promise<void> {
  const [client, server] = [find(clientCommands, name), find(serverCommands, name)]
  const wantsHelp = args.includes('--help')
  if (client && wantsHelp) process.stdout.write(helpOf(name, client))
  else if (client) await (await import('./commands/client/run.ts')).runClientCommand(name, client, args)
  else if (server && wantsHelp) await describe(name, server)
  else if (server) await (await server.load())(args)
  else {
    const guess = didYouMean(name, [...Object.keys(clientCommands), ...Object.keys(serverCommands)])
    throw new Refusal(`There is no command '${name}'.${guess} See 'mainline --help'.`, 2)
  }
}

const find = <T>(commands: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(commands, name) ? commands[name] : undefined

async function describe(name: string, command: ServerCommand): Promise<void> {
  // Loaded here, since commands that ask a server start faster without it.
  const { describeConfig } = await import('./platform/config.ts')
  const own = ownHelpOf(command)
  process.stdout.write(
    `mainline ${name}: ${command.summary}\n\n${own}${own && '\n'}Settings (flag, environment variable, default):\n\n${describeConfig()}\n`,
  )
}

// Whoever reads what is printed may stop at any line: that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const [name, ...args] = process.argv.slice(2)
try {
  if (name === '--version') process.stdout.write(`${manifest.version}\n`)
  else if (name === undefined || name === 'help' || name === '--help') process.stdout.write(overview())
  else await run(name, args)
} catch (error) {
  const refusal = refusalBehind(error)
  if (!refusal) throw error
  process.stderr.write(`${refusal.message}\n`)
  process.exitCode = refusal.exitCode
  // The channel to the one that leads it would keep a worker waiting.
  if (process.connected) process.exit()
}
