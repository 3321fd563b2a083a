import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Problem } from '@mainline/contract'
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'

/** How long a caller may leave unread what was sent, in milliseconds. */
const patience = 15_000

/** Streams of this type have no end of their own: none is cut short by the stop. */
const endless = 'text/event-stream'

/** An answer that goes on: its parts are sent as they come, until the signal ends it. */
export class Stream {
  readonly type: string
  readonly parts: (until: AbortSignal) => AsyncIterable<string | Uint8Array>
  readonly patience: number
  /** What it is to be called by those who keep it. */
  readonly name: string | undefined

  constructor(
    type: string,
    parts: Stream['parts'],
    { patient = patience, name }: { patient?: number; name?: string } = {},
  ) {
    this.type = type
    this.parts = parts
    this.patience = patient
    this.name = name
  }
}

/** What was sent, and why it did not come to its end. */
export interface Streamed {
  readonly bytes: number
  readonly failure: unknown
}

/**
 * Takes the reply over. A part is asked for when the one before has gone out, so a slow reader fills nobody's memory. What is cut
 * before its end breaks off: a file that ended in good order would be taken for the whole of it.
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
    // Asks proxies in between not to collect it first.
    'x-accel-buffering': 'no',
  })
  let bytes = 0
  try {
    for await (const part of stream.parts(until)) {
      if (until.aborted) break
      bytes += typeof part === 'string' ? Buffer.byteLength(part) : part.length
      if (!raw.write(part)) await drained(raw, stream.patience, until)
    }
    const cut = until.aborted && stream.type !== endless
    if (cut && !raw.destroyed)
      log.warn({ type: stream.type }, 'a stream was cut off: the stop does not wait for longer')
    // What a caller has left unread does not hold up the stop.
    if (cut || raw.writableNeedDrain) breakOff(raw)
    else raw.end()
    return { bytes, failure: cut ? new CutOff() : undefined }
  } catch (error) {
    // A problem is the caller's or the storage's, and is in the request log.
    if (!(error instanceof TooSlow || error instanceof Problem)) log.error({ err: error }, 'a stream broke off')
    breakOff(raw)
    return { bytes, failure: error }
  }
}

class TooSlow extends Error {}
class CutOff extends Error {}

/** By a reset: to proxies that speak HTTP/1.0, a connection that is merely closed has said all. */
function breakOff(raw: ServerResponse): void {
  raw.socket?.resetAndDestroy()
  raw.destroy()
}

async function drained(raw: ServerResponse, milliseconds: number, until: AbortSignal): Promise<void> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), milliseconds)
  try {
    await once(raw, 'drain', { signal: AbortSignal.any([until, late.signal]) })
  } catch {
    if (!until.aborted) throw new TooSlow()
  } finally {
    clearTimeout(timer)
  }
}
