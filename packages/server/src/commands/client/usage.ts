import { didYouMean } from '../../platform/nearest.ts'
import { misused } from '../../platform/refusal.ts'
import { atMost, parseArguments } from '../arguments.ts'
import { type ClientCommand, flagsOf } from './catalogue.ts'
import type { FlagName, Given } from './flags.ts'

export const exitCodes = { refused: 1, usage: 2, unreachable: 3 } as const

export { misused }

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
  const { values, positionals } = parseArguments(name, args, options)
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

/** The words of a command that takes none, or just so many. */
export const wordsOf = ({ words }: Given, name: string, most: number): readonly string[] => atMost(words, name, most)

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
