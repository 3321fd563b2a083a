/** Removes user and password from URLs in a text: everything before the last @. */
export const withoutPasswords = (text: string): string => text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s'"]*@/gi, '$1***@')

/** Why the program does not start or a command does not run; the message is for the user who typed it. */
export class Refusal extends Error {
  readonly exitCode: number

  constructor(sentence: string, exitCode = 1) {
    super(withoutPasswords(sentence))
    this.name = 'Refusal'
    this.exitCode = exitCode
  }
}

/** Wrong usage of a command or setting: nothing was attempted. */
export const misused = (sentence: string) => new Refusal(sentence, 2)

/** The refusal in the cause chain of an error, if any. */
export function refusalBehind(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  return error instanceof Error && error.cause instanceof Refusal ? error.cause : undefined
}
