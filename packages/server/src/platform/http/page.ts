import { succeeded } from '@mainline/contract'

/** A whole answer, envelope and all, as it is sent: what does not change need not be written out again for every caller. */
export class Page {
  readonly #tag: string | undefined
  #success = ''
  #bytes: Buffer

  /** By its tag a caller who has the answer already is told so. */
  constructor(data: unknown, tag?: string) {
    this.#bytes = Buffer.from(JSON.stringify(succeeded(data)))
    this.#tag = tag
  }

  /** Which word success goes by is for whoever sends it to say, and they always say the same. */
  bytes(success: string): Buffer {
    if (success !== this.#success) {
      this.#bytes = Buffer.concat([opening(success), this.#bytes.subarray(opening(this.#success).length)])
      this.#success = success
    }
    return this.#bytes
  }

  /** Another for every word: an answer kept from a server that spoke otherwise is not the same answer. */
  tag(success: string): string | undefined {
    return success === '' ? this.#tag : this.#tag?.replace(/"$/, `.${success}"`)
  }
}

const opening = (success: string) => Buffer.from(JSON.stringify(succeeded(0, success)).slice(0, -'0}'.length))
