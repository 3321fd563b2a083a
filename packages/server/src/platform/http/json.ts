/** An answer that is JSON already. What does not change need not be written out again for every caller. */
export class Json {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
