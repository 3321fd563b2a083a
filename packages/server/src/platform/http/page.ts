import { createHash } from 'node:crypto'
import { type Endpoint, succeeded } from '@mainline/contract'

/** A whole answer, envelope and all, as it is sent: what does not change need not be written out again for every caller. */
export class Page {
  readonly bytes: Buffer
  /** By its tag a caller who has the answer already is told so. */
  readonly tag: string | undefined

  constructor(data: unknown, tag?: string) {
    this.bytes = Buffer.from(JSON.stringify(succeeded(data)))
    this.tag = tag
  }
}

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
