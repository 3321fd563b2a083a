import { createHash, hash } from 'node:crypto'
import { type BareType, succeeded } from '@mainline/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inTurns } from '../common/concurrency/turns.ts'

/** A serialised response body, and its ETag. */
interface Written {
  readonly bytes: Buffer
  readonly tag: string | undefined
}

/** Characters collected before they are encoded. */
const partLength = 65_536

/** A complete serialised response including the envelope, so that cached answers are not serialised for every caller. */
export class Page<Data = unknown> {
  declare readonly dataType: Data
  readonly #tag: string | undefined
  #success = ''
  #bytes: Buffer

  constructor(data: Data, tag?: string) {
    this.#bytes = Buffer.from(JSON.stringify(succeeded(data)))
    this.#tag = tag
  }

  /** Builds one from pieces of its data's text, so that a long one does not hold the event loop. */
  static async from<Data>(pieces: Iterable<string>, tag?: string): Promise<Page<Data>> {
    const parts = [opening('')]
    let text = ''
    await inTurns(pieces, (piece) => {
      text += piece
      if (text.length < partLength) return
      parts.push(Buffer.from(text))
      text = ''
    })
    const page = new Page<Data>(null as Data, tag)
    page.#bytes = Buffer.concat([...parts, Buffer.from(`${text}}`)])
    return page
  }

  /** Size in bytes, by which the cache is bounded. */
  get weight(): number {
    return this.#bytes.length
  }

  /** With the dialect's text for success. It is the same for every request of a process, so the bytes are rebuilt at most once. */
  saying(success: string): Written {
    if (success !== this.#success) {
      this.#bytes = Buffer.concat([opening(success), this.#bytes.subarray(opening(this.#success).length)])
      this.#success = success
    }
    // The ETag includes the text: a client's copy from a server with another dialect has a different body.
    return { bytes: this.#bytes, tag: success === '' ? this.#tag : this.#tag?.replace(/"$/, `.${success}"`) }
  }
}

/** The envelope of a success, up to its data. */
export const opening = (success: string) => Buffer.from(JSON.stringify(succeeded(0, success)).slice(0, -'0}'.length))

/** One record with its revision, for conditional changes. */
export class Versioned<Data = unknown> {
  readonly data: Data
  readonly tag: string

  constructor(data: Data, revision: number) {
    this.data = data
    this.tag = `"${revision}"`
  }
}

/** A serialised response without the envelope, for an endpoint declared `bare`. Its ETag is a hash of the content. */
export class PlainPage {
  readonly type: string
  readonly bytes: Buffer
  readonly tag: string

  constructor(type: BareType, bytes: Buffer, digest: string) {
    this.type = `${type}; charset=utf-8`
    this.bytes = bytes
    this.tag = `"${digest}"`
  }
}

/** Builds one from texts as they arrive, so that a long one does not hold the event loop. */
export async function plainPageOf(type: BareType, texts: AsyncIterable<string>): Promise<PlainPage> {
  const parts: Buffer[] = []
  const digest = createHash('sha256')
  for await (const text of texts) {
    const part = Buffer.from(text)
    parts.push(part)
    digest.update(part)
  }
  return new PlainPage(type, Buffer.concat(parts), digest.digest('base64url'))
}

export const plainPage = (type: BareType, bytes: Buffer): PlainPage =>
  new PlainPage(type, bytes, hash('sha256', bytes, 'base64url'))

/** Sends the response, or 304 if the caller's copy is current. */
export function sendPage({ bytes, tag }: Written, request: FastifyRequest, reply: FastifyReply) {
  if (tag === undefined) return reply.send(bytes)
  reply.header('etag', tag).header('cache-control', 'private, no-cache')
  const known = request.headers['if-none-match']?.split(',').some((each) => each.trim().replace(/^W\//, '') === tag)
  return known ? reply.code(304).removeHeader('content-type').send() : reply.send(bytes)
}
