import type { Extras } from './asked.ts'
import { Failure, unreachable } from './failure.ts'
import { pauseAfter, wait } from './retries.ts'

export interface AskedStream extends Extras {
  /** The connection was lost or could not be restored; retries continue indefinitely. */
  readonly onLost?: (why: Failure) => void
  /** The connection is restored; no event was missed. */
  readonly onBack?: () => void
  /** After every event and heartbeat: the id to resume after, as a `Last-Event-ID` header. */
  readonly onId?: (id: string) => void
}

/** Opens the stream after the event with that id. A response that is no stream is thrown as a Failure. */
export type Open = (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>

/** Mainline sends a heartbeat every 15 s; a connection that is silent for longer than this is considered lost. */
const maxSilenceMs = 45_000
const maxPauseMs = 30_000

/**
 * The events of a stream, across lost connections: each connection resumes after the last event. Only the first connection is given up after the
 * retries; later ones end only by an error response or the signal.
 */
export async function* streamOf(
  open: Open,
  operation: string,
  { retries, silence = maxSilenceMs, ...asked }: { retries: number; silence?: number } & AskedStream,
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
        if (id !== undefined) {
          last = id
          asked.onId?.(id)
        }
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
      await wait(Math.min(pause, maxPauseMs), asked.signal)
    } finally {
      connection.end()
    }
  }
}

/** Ends by the caller's signal, after a silence, and when the consumer stops. */
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
  /** Undefined if it contains only the id to resume after. */
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
