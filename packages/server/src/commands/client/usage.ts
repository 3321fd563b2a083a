import { parseArgs } from 'node:util'
import { didYouMean } from '../../platform/nearest.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type ClientCommand, flagsOf } from './catalogue.ts'
import type { FlagName, Given } from './flags.ts'

export const exitCodes = { refused: 1, usage: 2, unreachable: 3 } as const

/** The command is wrong as it was typed. */
export const misused = (sentence: string) => new Refusal(sentence, exitCodes.usage)

/** Reads what stands behind a command's name, by what the command declares. */
export function readGiven(name: string, command: ClientCommand, args: readonly string[]): Given {
  const known = flagsOf(command)
  const options = Object.fromEntries(
    known.map(({ name: flag, value, short, repeats }) => [
      flag,
      {
        type: value ? ('string' as const) : ('boolean' as const),
        multiple: repeats ?? false,
        ...(short && { short }),
      },
    ]),
  )
  const { values, positionals } = parsed(name, args, options)
  const given: Given = {
    words: positionals,
    value: (flag) => values[flag] as string | undefined,
    values: (flag) => (values[flag] ?? []) as string[],
    has: (flag) => values[flag] === true,
  }
  if (Array.isArray(command.outputs)) oneOf(given, 'output', command.outputs)
  return given
}

/** The value of a flag that may be one of these. */
export function oneOf(given: Given, name: FlagName, values: readonly string[]): string | undefined {
  const value = given.value(name)
  if (value === undefined || values.includes(value)) return value
  throw misused(`--${name} is '${value}': it must be one of ${values.join(', ')}.`)
}

type Options = Record<string, { type: 'string' | 'boolean'; multiple: boolean; short?: string }>

function parsed(name: string, args: readonly string[], options: Options) {
  const unknown = args.find((arg) => /^--[^=]/.test(arg) && !((arg.slice(2).split('=')[0] as string) in options))
  try {
    return parseArgs({ args: joined(args, options), options, allowPositionals: true })
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    const see = `See 'mainline ${name} --help'.`
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && unknown) {
      const [flag = ''] = unknown.split('=')
      const guess = didYouMean(
        flag,
        Object.keys(options).map((each) => `--${each}`),
      )
      throw misused(`'mainline ${name}' has no flag ${flag}.${guess} ${see}`)
    }
    if (code?.startsWith('ERR_PARSE_ARGS')) throw misused(`${message.split(/\.? *\n|\. /)[0]}. ${see}`)
    throw error
  }
}

/** A value may begin with a dash, as in `--sort -bk_capacity`; alone it would be taken for a flag. */
function joined(args: readonly string[], options: Options): string[] {
  const read: string[] = []
  for (let at = 0; at < args.length; at++) {
    const [arg = '', next = ''] = [args[at], args[at + 1]]
    const takesNext = options[arg.slice(2)]?.type === 'string' && arg.startsWith('--') && /^-[^-]/.test(next)
    read.push(takesNext ? `${arg}=${next}` : arg)
    if (takesNext) at++
  }
  return read
}

/** The words of a command that takes none, or just so many. */
export function wordsOf({ words }: Given, name: string, most: number): readonly string[] {
  if (words.length > most) {
    throw misused(`'${words[most]}' is too much for 'mainline ${name}'. Names with blanks need quotes.`)
  }
  return words
}

/** A word that must be one of these. */
export function wordIn<Word extends string>(name: string, known: readonly Word[], word: string | undefined): Word {
  const found = known.find((each) => each === word)
  if (found !== undefined) return found
  const [all, verb] = [known.join(', '), name.split(' ')[0]]
  throw misused(
    word === undefined
      ? `What? 'mainline ${name}' takes one of ${all}.`
      : `There is nothing called '${word}' to ${verb}.${didYouMean(word, known)} There are ${all}.`,
  )
}

/** Flags that would mean nothing here were not meant. */
export function refuseFlags(given: Given, names: readonly FlagName[], ownTo: string): void {
  const wrong = names.find((name) => given.has(name) || given.value(name) !== undefined)
  if (wrong) throw misused(`--${wrong} is for ${ownTo}.`)
}

export function wholeNumber(given: Given, name: 'limit' | 'depth', least: number): number | undefined {
  const text = given.value(name)
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^\d{1,9}$/.test(text) || number < least) {
    throw misused(`--${name} is '${text}': it must be a whole number from ${least} on.`)
  }
  return number
}

export const listOf = (text: string | undefined): string[] | undefined =>
  text
    ?.split(',')
    .map((each) => each.trim())
    .filter(Boolean)
