import type { Extras } from './asked.ts'
import { Failure, unreachable } from './failure.ts'
import { pauseAfter, wait } from './retries.ts'

export interface AskedStream extends Extras {
  /** The connection was lost, or could not be had again; it is tried again for as long as it takes. */
  readonly onLost?: (why: Failure) => void
  /** It was lost and is there again; nothing was missed meanwhile. */
  readonly onBack?: () => void
}

/** Opens the stream behind the event of that id. Whatever is no stream is thrown as a Failure. */
export type Open = (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>

/** Mainline says something every 15 s: whoever is silent for longer than this, in milliseconds, is gone. */
const longestSilence = 45_000
const longestPause = 30_000

/**
 * What is streamed, one by one, across lost connections: each goes on behind the last event seen. Only the first connection
 * is given up after so many retries; after it, only a refusal or the signal ends it.
 */
export async function* streamOf(
  open: Open,
  operation: string,
  { retries, silence = longestSilence, ...asked }: { retries: number; silence?: number } & AskedStream,
): AsyncGenerator<unknown, void> {
  let last: string | undefined
  for (let failures = 0, connected = false, lost = false; ; ) {
    const connection = connectionWith(silence, asked.signal)
    try {
      const answer = await open(last, connection.signal)
      if (lost) asked.onBack?.()
      connected = true
      lost = false
      failures = 0
      for await (const { id, data } of eventsOf(answer, connection.alive)) {
        last = id ?? last
        if (data !== undefined) yield JSON.parse(data)
      }
      throw unreachable(operation, new Error('the stream ended'))
    } catch (error) {
      asked.signal?.throwIfAborted()
      const why = error instanceof Failure ? error : unreachable(operation, error)
      if (!why.passing || (!connected && failures >= retries)) throw why
      if (connected) asked.onLost?.(why)
      lost = connected
      const pause = why.retryAfter === undefined ? pauseAfter(failures++) : why.retryAfter * 1_000
      await wait(Math.min(pause, longestPause), asked.signal)
    } finally {
      connection.end()
    }
  }
}

/** Ends when the caller's signal says so, when nothing was heard for so long, and when it is left. */
function connectionWith(silence: number, signal: AbortSignal | undefined) {
  const own = new AbortController()
  const tooSilent = () => own.abort(new Error(`nothing was heard for ${silence / 1_000} s`))
  let timer = setTimeout(tooSilent, silence)
  return {
    signal: signal ? AbortSignal.any([signal, own.signal]) : own.signal,
    alive() {
      clearTimeout(timer)
      timer = setTimeout(tooSilent, silence)
    },
    end() {
      clearTimeout(timer)
      own.abort()
    },
  }
}

interface ServerSent {
  readonly id: string | undefined
  /** Undefined when it only says where to resume. */
  readonly data: string | undefined
}

/** Server-sent events, as far as Mainline uses them: `id` and `data`. */
async function* eventsOf({ body }: Response, alive: () => void): AsyncGenerator<ServerSent> {
  if (!body) return
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    alive()
    text += decoder.decode(read.value, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) yield parse(event)
  }
}

function parse(event: string): ServerSent {
  const lines = event.split('\n')
  const of = (field: string) => lines.filter((line) => line.startsWith(field)).map((line) => line.slice(field.length))
  const data = of('data: ')
  return { id: of('id: ').at(-1), data: data.length > 0 ? data.join('\n') : undefined }
}
