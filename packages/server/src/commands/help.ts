import { type ClientCommand, clientCommands, helpOf } from '../cli/catalogue.ts'
import { didYouMean } from '../common/nearest.ts'
import { misused } from '../common/refusal.ts'
import { parseArguments } from './arguments.ts'
import { type OwnFlag, type ServerCommand, serverCommands } from './catalogue.ts'

/** Looks up own keys only, so that `constructor` is no command. */
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

/** The overview, or the help of a command, optionally limited to one of its subcommands: `help token create`. */
export async function helpText([name, part]: readonly string[]): Promise<string> {
  if (name === undefined) return overview()
  const [client, server] = [clientCommand(name), serverCommand(name)]
  if (!client && !server) throw noSuchCommand(name)
  const ofClient = client?.words[0] ?? []
  const parts = [...(server?.words ?? []), ...(typeof ofClient === 'string' ? [] : ofClient)]
  if (part !== undefined && parts.length > 0 && !parts.includes(part)) {
    throw misused(`There is no 'mainline ${name} ${part}'.${didYouMean(part, parts)} See 'mainline ${name} --help'.`)
  }
  if (client && !(part !== undefined && server?.words?.includes(part))) return helpOf(name, client)
  if (!server) throw noSuchCommand(name)
  return serverHelp(name, part === undefined || parts.length === 0 ? server : partOf(server, name, part))
}

/** The usage, flags and examples of one subcommand. The help of a flag begins with the subcommands it is for. */
function partOf(command: ServerCommand, name: string, part: string): ServerCommand {
  const isAbout = (text: string) => text === `${name} ${part}` || text.startsWith(`${name} ${part} `)
  const { flags = [], words = [], examples = [] } = command
  const isFor = ({ help }: OwnFlag) => {
    const [prefix = ''] = help.split(':')
    return !words.includes(prefix) || prefix === part
  }
  return {
    ...command,
    usage: command.usage.filter(isAbout),
    flags: flags.filter(isFor),
    examples: examples.filter(isAbout),
  }
}

function overview(): string {
  const width = Math.max(...Object.keys({ ...clientCommands, ...serverCommands }).map((name) => name.length))
  const listed = (commands: Record<string, { summary: string }>) =>
    Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  // A command of both kinds is listed once, with what it does with a running server; its help names the rest.
  const onlyServers = Object.fromEntries(Object.entries(serverCommands).filter(([name]) => !clientCommand(name)))
  return [
    'Usage: mainline <command> [flags]',
    '',
    'Client commands (call a running server):',
    '',
    ...listed(clientCommands),
    '',
    'Server commands (run a server, manage its storage):',
    '',
    ...listed(onlyServers),
    '',
    "'mainline help <command>' lists its flags.",
    '',
  ].join('\n')
}

async function serverHelp(name: string, { summary, usage, settings, flags = [], examples = [] }: ServerCommand) {
  // Loaded lazily, since commands that call a server start faster without it.
  const { describeConfig, allSettings } = await import('../common/config.ts')
  const own = flags.map(({ flag, value, help }) => [`--${flag}${value ? ` ${value}` : ''}`, help] as const)
  const width = Math.max(0, ...own.map(([spelled]) => spelled.length))
  const taken = settings === 'all' ? allSettings : settings
  const sections = [
    [`mainline ${name}: ${summary}`],
    usage.map((way) => `  mainline ${way}${own.length + taken.length > 0 ? ' [flags]' : ''}`),
    own.map(([spelled, help]) => `  ${spelled.padEnd(width)}  ${help}`),
    taken.length > 0 ? ['Settings (flag, environment variable, default):', '', describeConfig(taken)] : [],
    examples.length > 0 ? ['Examples:', '', ...examples.map((example) => `  mainline ${example}`)] : [],
    name === 'privileges' ? [] : ['Exit codes: 0 success, 1 failure, 2 invalid usage.'],
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}
