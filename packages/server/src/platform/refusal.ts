/** Why the program does not start or a command does not run, as a sentence for the person who typed it. */
export class Refusal extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'Refusal'
  }
}
