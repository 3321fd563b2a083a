import { feed } from '@mainline/contract'
import { useEffect, useRef, useState } from 'react'
import { caller } from '../../api/call.ts'
import { type WatchedEvent, withNewest } from './watched.ts'

/** Maximum number of rows: a page that is open for a week must not grow indefinitely. */
export const mostRows = 300

export interface Seen {
  readonly event: WatchedEvent
  /** Time of arrival. */
  readonly at: string
}

type Status = 'connecting' | 'live' | 'lost'

/** Subscribes while it is shown and not paused, and resumes after the last event. */
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
      const events = caller(Number.POSITIVE_INFINITY).stream(feed.streamEvents, {
        query: JSON.parse(asked),
        ...(cursor.current && { headers: { 'last-event-id': cursor.current } }),
        signal: gone.signal,
        onLost: () => setStatus('lost'),
        onId: (id) => {
          cursor.current = id
          setStatus('live')
        },
      })
      for await (const event of events) {
        setSeen((rows) => withNewest(rows, { event, at: new Date().toISOString() }, mostRows))
      }
    }
    follow().catch((failure) => gone.signal.aborted || setError(failure))
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
