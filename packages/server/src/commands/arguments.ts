import { parseArgs } from 'node:util'
import { errorCodeOf, messageOf } from '../common/error-code.ts'
import { isKeyOf } from '../common/keys.ts'
import { didYouMean } from '../common/nearest.ts'
import { present } from '../common/present.ts'
import { misused } from '../common/refusal.ts'

export type Options = Record<string, { type: 'string' | 'boolean'; multiple?: boolean; short?: string }>

/** Parses the arguments after a command's name; an unknown flag is reported with the closest known one. */
export function parseArguments(name: string, args: readonly string[], options: Options) {
  const unknown = args.find((arg) => /^--[^=]/.test(arg) && !isKeyOf(options, present(arg.slice(2).split('=')[0])))
  try {
    return parseArgs({ args: joined(args, options), options, allowPositionals: true })
  } catch (error) {
    const [code, message] = [errorCodeOf(error), messageOf(error)]
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

/** A value may begin with a dash, as in `--sort -bk_capacity`; the parser would take it for a flag. */
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

export function atMost(words: readonly string[], name: string, most: number): readonly string[] {
  if (words.length > most) {
    throw misused(`Unexpected argument '${words[most]}' for 'mainline ${name}'. Quote names that contain blanks.`)
  }
  return words
}
