import { didYouMean } from '../platform/nearest.ts'
import { misused } from '../platform/refusal.ts'
import { parseArguments } from './arguments.ts'
import { type ServerCommand, serverCommands } from './catalogue.ts'
import { type ClientCommand, clientCommands, helpOf } from './client/catalogue.ts'

/** Of a name that anybody may type, so that `constructor` is none. */
const find = <T>(commands: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(commands, name) ? commands[name] : undefined

export const clientCommand = (name: string): ClientCommand | undefined => find(clientCommands, name)
export const serverCommand = (name: string): ServerCommand | undefined => find(serverCommands, name)

export function noSuchCommand(name: string): Error {
  const guess = didYouMean(name, [...Object.keys(clientCommands), ...Object.keys(serverCommands)])
  return misused(`There is no command '${name}'.${guess} See 'mainline --help'.`)
}

export async function helpCommand(args: string[]): Promise<void> {
  const { positionals } = parseArguments('help', args, {})
  process.stdout.write(await helpText(positionals))
}

/** The overview, or the help of a command; a word behind its name must be one that it takes: `help token create`. */
export async function helpText([name, part]: readonly string[]): Promise<string> {
  if (name === undefined) return overview()
  const [client, server] = [clientCommand(name), serverCommand(name)]
  if (!client && !server) throw noSuchCommand(name)
  const parts = server ? (server.words ?? []) : (client?.words[0] ?? [])
  if (part !== undefined && typeof parts !== 'string' && parts.length > 0 && !parts.includes(part)) {
    throw misused(`There is no 'mainline ${name} ${part}'.${didYouMean(part, parts)} See 'mainline ${name} --help'.`)
  }
  return client ? helpOf(name, client) : serverHelp(name, server as ServerCommand)
}

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
    "'mainline help <command>' lists its flags.",
    '',
  ].join('\n')
}

async function serverHelp(name: string, { summary, usage, settings, flags = [], examples = [] }: ServerCommand) {
  // Loaded here, since commands that ask a server start faster without it.
  const { describeConfig, allSettings } = await import('../platform/config.ts')
  const own = flags.map(({ flag, value, help }) => [`--${flag}${value ? ` ${value}` : ''}`, help] as const)
  const width = Math.max(0, ...own.map(([spelled]) => spelled.length))
  const taken = settings === 'all' ? allSettings : settings
  const sections = [
    [`mainline ${name}: ${summary}`],
    usage.map((way) => `  mainline ${way}${own.length + taken.length > 0 ? ' [flags]' : ''}`),
    own.map(([spelled, help]) => `  ${spelled.padEnd(width)}  ${help}`),
    taken.length > 0 ? ['Settings (flag, environment variable, default):', '', describeConfig(taken)] : [],
    examples.length > 0 ? ['For example:', '', ...examples.map((example) => `  mainline ${example}`)] : [],
    name === 'privileges' ? [] : ['Exits with 0 when done, 1 when it could not be done, 2 when the command is wrong.'],
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}
