import { serverCommands } from '../../catalogue.ts'
import { clientCommands, flagsOf } from '../catalogue.ts'
import type { Offer } from '../flags.ts'

export interface SpokenFlag {
  /** With their dashes. */
  readonly spellings: readonly string[]
  readonly help: string
  readonly takesValue: boolean
  /** May be given more than once. */
  readonly repeats?: boolean
  readonly offers: Offer
}

/** A command as completion sees it. */
export interface Spoken {
  readonly name: string
  readonly summary: string
  readonly words: readonly Offer[]
  readonly flags: readonly SpokenFlag[]
}

const help: SpokenFlag = { spellings: ['-h', '--help'], help: 'what it does', takesValue: false, offers: [] }

/** Every command with its words and flags, those of the server included. */
export async function spoken(): Promise<Spoken[]> {
  const { settingFlags } = await import('../../../platform/config.ts')
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
  const serving = Object.entries(serverCommands).map(([name, { summary, usage, words, settings, flags = [] }]) => ({
    name,
    summary,
    words: wordsOf(name, usage, words, named),
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

/** What each word may be: the first of several, a command's name, or a file. */
function wordsOf(
  name: string,
  usage: readonly string[],
  words: readonly string[] | undefined,
  named: readonly string[],
) {
  if (name === 'help') return [named]
  const takesFile = usage.some((way) => way.endsWith(' FILE'))
  return [...(words ? [words] : []), ...(takesFile ? ['files' as const] : [])]
}
