import { atMost, parseArguments } from '../../commands/arguments.ts'
import { didYouMean } from '../../common/nearest.ts'
import { misused } from '../../common/refusal.ts'
import { type ClientCommand, flagsOf } from '../catalogue.ts'
import type { FlagName, Given } from './flags.ts'

export const exitCodes = { refused: 1, usage: 2, unreachable: 3 } as const

export { misused }

/** Parses the arguments after a command's name by its declaration. */
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
  const { values, positionals } = parseArguments(name, args, options)
  const given: Given = {
    words: positionals,
    value: (flag) => [values[flag]].find(isText),
    values: (flag) => [values[flag]].flat().filter(isText),
    has: (flag) => values[flag] === true,
  }
  if (Array.isArray(command.outputs)) oneOf(given, 'output', command.outputs)
  return given
}

const isText = (value: unknown) => typeof value === 'string'

/** The value of a flag with fixed choices. */
export function oneOf(given: Given, name: FlagName, values: readonly string[]): string | undefined {
  const value = given.value(name)
  if (value === undefined || values.includes(value)) return value
  throw misused(`--${name} is '${value}': it must be one of ${values.join(', ')}.`)
}

/** The arguments of a command, at most so many. */
export const wordsOf = ({ words }: Given, name: string, most: number): readonly string[] => atMost(words, name, most)

/** An argument with fixed choices. */
export function wordIn<Word extends string>(name: string, known: readonly Word[], word: string | undefined): Word {
  const found = known.find((each) => each === word)
  if (found !== undefined) return found
  const [all, verb] = [known.join(', '), name.split(' ')[0]]
  throw misused(
    word === undefined
      ? `An argument is missing: 'mainline ${name}' takes one of ${all}.`
      : `Cannot ${verb} '${word}'.${didYouMean(word, known)} It must be one of ${all}.`,
  )
}

/** Refuses flags that have no effect with this command. */
export function refuseFlags(given: Given, names: readonly FlagName[], ownTo: string): void {
  const wrong = names.find((name) => given.has(name) || given.value(name) !== undefined)
  if (wrong) throw misused(`--${wrong} is for ${ownTo}.`)
}

export function wholeNumber(given: Given, name: 'limit' | 'depth', least: number): number | undefined {
  const text = given.value(name)
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^\d{1,9}$/.test(text) || number < least) {
    throw misused(`--${name} is '${text}': it must be an integer of at least ${least}.`)
  }
  return number
}

export const listOf = (text: string | undefined): string[] | undefined =>
  text
    ?.split(',')
    .map((each) => each.trim())
    .filter(Boolean)
