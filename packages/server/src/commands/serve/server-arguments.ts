import { allSettings, configOf, type ServeConfig, settingFlags, withLoneSwitches } from '../../common/config.ts'
import { present } from '../../common/present.ts'
import { atMost, type Options, parseArguments } from '../arguments.ts'
import { serverCommands } from '../catalogue.ts'

interface ServerArguments {
  readonly config: ServeConfig
  readonly words: readonly string[]
  /** The value of one of the command's own flags. */
  value(flag: string): string | undefined
  has(flag: string): boolean
}

/** Parses the arguments of a command by its entry in the catalogue. */
export function readServerArguments(name: string, args: readonly string[], mostWords: number): ServerArguments {
  const command = present(serverCommands[name])
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
