import { createHash } from 'node:crypto'
import { type Endpoint, succeeded } from '@mainline/contract'
import { inTurns } from '../turns.ts'

/** An answer as it is sent. By its tag a caller who has it already is told so. */
export interface Written {
  readonly bytes: Buffer
  readonly tag: string | undefined
}

/** Pieces are gathered up to so many characters before they become bytes. */
const partLength = 65_536

/** A whole answer, envelope and all, as it is sent: what does not change need not be written out again for every caller. */
export class Page {
  readonly #tag: string | undefined
  #success = ''
  #bytes: Buffer

  constructor(data: unknown, tag?: string) {
    this.#bytes = Buffer.from(JSON.stringify(succeeded(data)))
    this.#tag = tag
  }

  /** Puts one together from pieces of its data's text, so that a long one is never written out in one go. */
  static async from(pieces: Iterable<string>, tag?: string): Promise<Page> {
    const parts = [opening('')]
    let text = ''
    await inTurns(pieces, (piece) => {
      text += piece
      if (text.length < partLength) return
      parts.push(Buffer.from(text))
      text = ''
    })
    const page = new Page(null, tag)
    page.#bytes = Buffer.concat([...parts, Buffer.from(`${text}}`)])
    return page
  }

  /** What it takes to keep, in bytes. */
  get weight(): number {
    return this.#bytes.length
  }

  /** Which word success goes by is for whoever sends it to say, and they always say the same. */
  saying(success: string): Written {
    if (success !== this.#success) {
      this.#bytes = Buffer.concat([opening(success), this.#bytes.subarray(opening(this.#success).length)])
      this.#success = success
    }
    // An answer that was kept from a server that spoke otherwise is not the same answer.
    return { bytes: this.#bytes, tag: success === '' ? this.#tag : this.#tag?.replace(/"$/, `.${success}"`) }
  }
}

const opening = (success: string) => Buffer.from(JSON.stringify(succeeded(0, success)).slice(0, -'0}'.length))

/** A whole answer without the envelope, for an endpoint that is declared `bare`. Its tag is made from what is in it. */
export class PlainPage {
  readonly type: string
  readonly bytes: Buffer
  readonly tag: string

  constructor(type: NonNullable<Endpoint['bare']>, bytes: Buffer, digest: string) {
    this.type = `${type}; charset=utf-8`
    this.bytes = bytes
    this.tag = `"${digest}"`
  }
}

/** Puts one together from texts as they come, so that a long one is never written out in one go. */
export async function plainPageOf(
  type: NonNullable<Endpoint['bare']>,
  texts: AsyncIterable<string>,
): Promise<PlainPage> {
  const parts: Buffer[] = []
  const hash = createHash('sha256')
  for await (const text of texts) {
    const part = Buffer.from(text)
    parts.push(part)
    hash.update(part)
  }
  return new PlainPage(type, Buffer.concat(parts), hash.digest('base64url'))
}
