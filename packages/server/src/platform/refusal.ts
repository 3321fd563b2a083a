/** Why the program does not start or a command does not run, as a sentence for the person who typed it. */
export class Refusal extends Error {
  readonly exitCode: number

  constructor(sentence: string, exitCode = 1) {
    super(sentence)
    this.name = 'Refusal'
    this.exitCode = exitCode
  }
}

/** The command or a setting is wrong as it was given: nothing was tried. */
export const misused = (sentence: string) => new Refusal(sentence, 2)

/** The refusal that a failure is, or that has caused it. */
export function refusalBehind(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  return error instanceof Error && error.cause instanceof Refusal ? error.cause : undefined
}
