import { allSettings, configOf, type ServeConfig, settingFlags, withLoneSwitches } from '../platform/config.ts'
import { atMost, type Options, parseArguments } from './arguments.ts'
import { type ServerCommand, serverCommands } from './catalogue.ts'

export interface ServerArguments {
  readonly config: ServeConfig
  readonly words: readonly string[]
  /** The value of one of the command's own flags. */
  value(flag: string): string | undefined
  has(flag: string): boolean
}

/** Reads what follows the name of a command, by what the catalogue says of it. */
export function readServerArguments(name: string, args: readonly string[], mostWords: number): ServerArguments {
  const command = serverCommands[name] as ServerCommand
  const settings = command.settings === 'all' ? allSettings : command.settings
  const own = (command.flags ?? []).map(({ flag, value }) => [flag, { type: value ? 'string' : 'boolean' }] as const)
  const options: Options = Object.fromEntries([
    ...own,
    ...settingFlags(settings).map(({ flag }) => [flag, { type: 'string' }] as const),
  ])
  const { values, positionals } = parseArguments(name, withLoneSwitches(args), options)
  return {
    config: configOf(values, process.env, settings),
    words: atMost(positionals, name, mostWords),
    value: (flag) => (typeof values[flag] === 'string' ? values[flag] : undefined),
    has: (flag) => values[flag] !== undefined,
  }
}
