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

const help: SpokenFlag = { spellings: ['--help'], help: 'what it does', takesValue: false, offers: [] }

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
  const serving = Object.entries(serverCommands).map(([name, { summary, words, flags = [] }]) => ({
    name,
    summary,
    words: words ? [words] : [],
    flags: [
      ...[...flags, ...settingFlags()].map(({ flag, help, isSwitch }) => ({
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
