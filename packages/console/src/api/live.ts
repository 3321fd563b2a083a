import { feed } from '@mainline/contract'
import type { Query } from '@tanstack/react-query'
import { useEffect } from 'react'
import { questions, startOfFetch } from './ask.ts'
import { caller } from './call.ts'
import { checkConnection } from './connection.ts'
import { setExpired, useExpired } from './expiry.ts'
import { isDenied, isUnauthenticated } from './failures.ts'
import { changeBy, concerns, type LiveChange } from './live-changes.ts'

/** Events of one change arrive together. */
const gatherMs = 150
/** A page that follows a busy estate costs the server at most a tenth of what it would if it refetched continuously. */
const restShare = 10
const longestRestMs = 30_000

let pending: LiveChange[] = []
let isRefreshing = false

async function refresh(): Promise<void> {
  if (isRefreshing) return
  isRefreshing = true
  while (pending.length > 0) {
    await pause(gatherMs)
    const changes = pending
    pending = []
    const startedAt = performance.now()
    await questions.invalidateQueries({ predicate: (query) => changes.some((change) => isStale(query, change)) })
    await pause(Math.min(longestRestMs, (performance.now() - startedAt) * restShare))
  }
  isRefreshing = false
}

const isStale = ({ queryKey }: Query, change: LiveChange): boolean =>
  startOfFetch(queryKey) < change.at && concerns(change, queryKey)

function note(change: LiveChange): void {
  const isKnown = ({ resource, business }: LiveChange) => resource === change.resource && business === change.business
  pending = [...pending.filter((each) => !isKnown(each)), change]
  void refresh()
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** After a stream was refused for another reason than a missing privilege. */
const restartMs = 10_000

/** Follows events until the signal aborts, or the caller may not receive them. */
async function follow(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const events = caller(Number.POSITIVE_INFINITY).stream(feed.streamEvents, {
        signal,
        onLost: () => void checkConnection(),
      })
      for await (const event of events) note(changeBy(event, performance.now()))
    } catch (error) {
      if (signal.aborted || isDenied(error)) return
      if (isUnauthenticated(error)) return setExpired(true)
    }
    await pause(restartMs)
    if (!signal.aborted) void questions.invalidateQueries()
  }
}

/**
 * Refetches what other users change while it is shown. A hidden page does not follow: a browser opens only six connections to a server
 * of HTTP/1.1, for all of its tabs.
 */
export function useLiveUpdates(user: string | null | undefined): void {
  const isExpired = useExpired()
  useEffect(() => {
    if (!user || isExpired) return undefined
    let following: AbortController | undefined
    const update = () => {
      if (document.visibilityState === 'hidden') {
        following?.abort()
        following = undefined
      } else if (!following) {
        following = new AbortController()
        void follow(following.signal)
      }
    }
    const show = () => {
      const wasHidden = !following
      update()
      if (wasHidden && following) void questions.invalidateQueries()
    }
    update()
    document.addEventListener('visibilitychange', show)
    return () => {
      document.removeEventListener('visibilitychange', show)
      following?.abort()
    }
  }, [user, isExpired])
}
