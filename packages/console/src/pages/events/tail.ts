import { feed } from '@mainline/contract'
import { useEffect, useRef, useState } from 'react'
import { Refusal } from '../../api/call.ts'
import { listen } from '../../api/stream.ts'
import { type WatchedEvent, withNewest } from './watched.ts'

/** Rows that are kept: a page that is left open for a week must not grow for a week. */
export const mostRows = 300
/** Before it is tried again, in milliseconds. */
const pauseAfterLoss = 2_000

export interface Seen {
  readonly event: WatchedEvent
  /** When it came. */
  readonly at: string
}

type Status = 'connecting' | 'live' | 'lost'

/** Listens as long as it is shown and not paused, and goes on where it was. */
export function useTail(query: Record<string, string>, paused: boolean) {
  const [seen, setSeen] = useState<readonly Seen[]>([])
  const [status, setStatus] = useState<Status>('connecting')
  const [error, setError] = useState<Error | null>(null)
  const [attempt, setAttempt] = useState(0)
  const cursor = useRef<string | undefined>(undefined)
  const asked = JSON.stringify(query)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is made when it is asked for
  useEffect(() => {
    if (paused) return undefined
    const gone = new AbortController()
    const follow = async () => {
      setStatus('connecting')
      for await (const { id, data } of listen(
        feed.streamEvents,
        { query: JSON.parse(asked) },
        cursor.current,
        gone.signal,
      )) {
        if (gone.signal.aborted) return
        cursor.current = id || cursor.current
        setStatus('live')
        if (data) setSeen((rows) => withNewest(rows, { event: data, at: new Date().toISOString() }, mostRows))
      }
    }
    const run = async () => {
      while (!gone.signal.aborted) {
        const failure = await follow().then(
          () => null,
          (reason: Error) => reason,
        )
        if (gone.signal.aborted) return
        // What was refused will be refused again; what was cut off may come back.
        if (failure instanceof Refusal && !failure.isPassing) return setError(failure)
        setStatus('lost')
        await new Promise((resolve) => setTimeout(resolve, pauseAfterLoss))
      }
    }
    run()
    return () => gone.abort()
  }, [asked, paused, attempt])

  return {
    seen,
    status,
    error,
    clear: () => setSeen([]),
    retry: () => {
      setError(null)
      cursor.current = undefined
      setAttempt((before) => before + 1)
    },
  }
}
