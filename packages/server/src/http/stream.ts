import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Problem } from '@mainline/contract'
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'

/** How long a client may stop reading before it is disconnected. */
const usualStallMs = 15_000

/** Event streams have no end, so ending them on a stop truncates nothing. */
const endless = 'text/event-stream'

/** The socket of a stream. */
export interface StreamSink {
  /** Returns false when the client has to read before more may be written. */
  write(part: string | Uint8Array): boolean
}

/** Writes to the socket itself until it resolves: a broadcast writes the same bytes to many streams. */
export type LivePart = (sink: StreamSink) => Promise<void>

type Part = string | Uint8Array | LivePart

/** A streamed response: parts are sent as they are produced, until the signal aborts it. */
export class Stream {
  readonly type: string
  readonly parts: (until: AbortSignal) => AsyncIterable<Part>
  readonly maxStallMs: number
  /** File name for downloads. */
  readonly name: string | undefined

  constructor(
    type: string,
    parts: Stream['parts'],
    { maxStallMs = usualStallMs, name }: { maxStallMs?: number; name?: string } = {},
  ) {
    this.type = type
    this.parts = parts
    this.maxStallMs = maxStallMs
    this.name = name
  }
}

/** Bytes sent, and the reason if the stream was cut off. */
interface Streamed {
  readonly bytes: number
  readonly failure: unknown
}

/**
 * Takes over the reply. The next part is produced only when the socket has drained, so a slow client does not fill memory. A stream that
 * is cut off resets its connection: with a regular end, the client would take a truncated file for the whole.
 */
export async function sendStream(
  stream: Stream,
  reply: FastifyReply,
  until: AbortSignal,
  log: Logger,
): Promise<Streamed> {
  const { raw } = reply
  reply.hijack()
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': stream.type,
    'cache-control': 'no-store',
    ...(stream.name !== undefined && { 'content-disposition': `attachment; filename="${stream.name}"` }),
    // Tells proxies not to buffer the response.
    'x-accel-buffering': 'no',
  })
  let bytes = 0
  const sink: StreamSink = {
    write(part) {
      bytes += typeof part === 'string' ? Buffer.byteLength(part) : part.length
      return raw.write(part)
    },
  }
  try {
    for await (const part of stream.parts(until)) {
      if (until.aborted) break
      if (typeof part === 'function') await part(sink)
      else sink.write(part)
      if (raw.writableNeedDrain) await drained(raw, stream.maxStallMs, until)
    }
    const cut = until.aborted && stream.type !== endless
    if (cut && !raw.destroyed)
      log.warn({ type: stream.type }, 'a stream was aborted: the shutdown does not wait longer')
    // A client that is not reading must not delay the stop.
    if (cut || raw.writableNeedDrain) breakOff(raw)
    else raw.end()
    return { bytes, failure: cut ? new CutOff() : undefined }
  } catch (error) {
    // Problems are in the request log already.
    if (!(error instanceof TooSlow || error instanceof Problem))
      log.error({ err: error }, 'a stream ended with an error')
    breakOff(raw)
    return { bytes, failure: error }
  }
}

class TooSlow extends Error {}
class CutOff extends Error {}

/** With a reset: in HTTP/1.0, which some proxies speak, a regular close marks the end of the body. */
function breakOff(raw: ServerResponse): void {
  raw.socket?.resetAndDestroy()
  raw.destroy()
}

async function drained(raw: ServerResponse, maxStallMs: number, until: AbortSignal): Promise<void> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), maxStallMs)
  try {
    await once(raw, 'drain', { signal: AbortSignal.any([until, late.signal]) })
  } catch {
    if (!until.aborted) throw new TooSlow()
  } finally {
    clearTimeout(timer)
  }
}
