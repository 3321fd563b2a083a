import type { TestServer } from '../harness.ts'
import type { WatchedEvent } from './watching.ts'

export interface OpenedStream {
  readonly events: readonly WatchedEvent[]
  /** Resolves once so many events have arrived; rejects if the stream ends before. */
  received(count: number): Promise<readonly WatchedEvent[]>
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
  close(): void
}

/** Opens an event stream and waits for its first heartbeat. */
export async function openStream(
  server: TestServer,
  query = '',
  headers: Record<string, string> = {},
): Promise<OpenedStream> {
  const gone = new AbortController()
  const answer = await fetch(`${server.url}/api/v3/event/stream${query}`, { headers, signal: gone.signal })
  if (!answer.body || answer.status !== 200) throw new Error(await answer.text())
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  const events: WatchedEvent[] = []
  let wake = Promise.withResolvers<void>()
  let isOver = false
  let text = (await reader.read()).value ?? ''
  const readAll = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += part.value
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
        text = text.slice(end + 2)
        if (data !== undefined) events.push(JSON.parse(data))
      }
      wake.resolve()
      wake = Promise.withResolvers<void>()
    }
  }
  const ended = readAll()
    .catch(() => {})
    .then(() => {
      isOver = true
      wake.resolve()
    })
  return {
    events,
    ended,
    async received(count) {
      while (events.length < count) {
        if (isOver) throw new Error(`the stream ended after ${events.length} of ${count} events`)
        await wake.promise
      }
      return events
    },
    close: () => gone.abort(),
  }
}
