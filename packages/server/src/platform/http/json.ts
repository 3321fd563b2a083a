/** An answer that is JSON already. What does not change need not be written out again for every caller. */
export class Json {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A whole answer, envelope and all, ready to be sent; a caller who has it already, by its tag, is told so. */
export class Page {
  readonly bytes: Buffer
  readonly tag: string

  constructor(bytes: Buffer, tag: string) {
    this.bytes = bytes
    this.tag = tag
  }
}
