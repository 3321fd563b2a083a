import { serverCommands } from '../../commands/catalogue.ts'
import type { Offer } from '../arguments/flags.ts'
import { clientCommands, flagsOf } from '../catalogue.ts'

export interface SpokenFlag {
  /** Including the dashes. */
  readonly spellings: readonly string[]
  readonly help: string
  readonly takesValue: boolean
  /** May be given more than once. */
  readonly repeats?: boolean
  readonly offers: Offer
}

/** A command as the completion scripts need it. */
export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly words: readonly Offer[]
  readonly flags: readonly SpokenFlag[]
}

const help: SpokenFlag = { spellings: ['-h', '--help'], help: 'what it does', takesValue: false, offers: [] }

/** Every command with its arguments and flags, those of the server included. */
export async function completedCommands(): Promise<CompletedCommand[]> {
  const { settingFlags } = await import('../../common/config.ts')
  const asking = Object.entries(clientCommands).map(([name, command]) => ({
    name,
    summary: command.summary,
    words: command.words,
    flags: [
      ...flagsOf(command).map((each) => ({
        spellings: [...(each.short ? [`-${each.short}`] : []), `--${each.name}`],
        help: each.help,
        takesValue: each.value !== undefined,
        repeats: each.repeats ?? false,
        offers: each.offers ?? [],
      })),
      help,
    ],
  }))
  const named = Object.keys({ ...clientCommands, ...serverCommands })
  // A command of both kinds is completed once.
  const onlyServers = Object.entries(serverCommands).filter(([name]) => !Object.hasOwn(clientCommands, name))
  const serving = onlyServers.map(([name, { summary, usage, words, settings, flags = [] }]) => ({
    name,
    summary,
    words: offeredWords(name, usage, words, named),
    flags: [
      ...flags.map(({ flag, help, value }) => ({
        spellings: [`--${flag}`],
        help,
        takesValue: value !== undefined,
        offers: [],
      })),
      ...settingFlags(settings === 'all' ? undefined : settings).map(({ flag, help, isSwitch }) => ({
        spellings: [`--${flag}`],
        help,
        takesValue: !isSwitch,
        offers: [],
      })),
      help,
    ],
  }))
  return [...asking, ...serving]
}

/** Completions for an argument: one of several words, a command's name, or a file. */
function offeredWords(
  name: string,
  usage: readonly string[],
  words: readonly string[] | undefined,
  named: readonly string[],
) {
  if (name === 'help') return [named]
  const takesFile = usage.some((way) => way.endsWith(' FILE'))
  return [...(words ? [words] : []), ...(takesFile ? ['files' as const] : [])]
}
