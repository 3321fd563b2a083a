import { Problem } from '@mainline/contract'
import type { Cursor } from './cursor.ts'
import { type Feed, type Interest, type Seen, waitForEvents } from './watch.ts'

/** How long a stream stays silent, in milliseconds: proxies cut what says nothing. */
const longestSilence = 15_000

/** Who listens: how things are shown to them, and whether they may still hear. */
export interface Listener {
  cursor(cursor: Cursor): string
  event(seen: Seen): unknown
  /** Refuses who no longer may. */
  recheck(): Promise<void>
}

/**
 * Events as they happen, in the form of server-sent events: the id of each is the cursor after it. A right or a token that was
 * taken away ends it before the next event is told; who comes back is told why.
 */
export async function* streamed(
  feed: Feed,
  interest: Interest,
  from: Cursor,
  until: AbortSignal,
  listener: Listener,
): AsyncGenerator<string> {
  let cursor = from
  // An event without data is not handed to anybody, but its id is where the client will resume.
  const here = () => `id: ${listener.cursor(cursor)}\n:\n\n`
  yield here()
  while (!until.aborted) {
    const silent = AbortSignal.any([until, AbortSignal.timeout(longestSilence)])
    const batch = await waitForEvents(feed, interest, cursor, silent)
    if (until.aborted || !(await mayHear(listener))) return
    for (const seen of batch.seen) {
      yield `id: ${listener.cursor(seen.cursor)}\ndata: ${JSON.stringify(listener.event(seen))}\n\n`
    }
    cursor = batch.cursor
    if (batch.seen.length === 0) yield here()
  }
}

const mayHear = ({ recheck }: Listener): Promise<boolean> =>
  recheck().then(
    () => true,
    (error) => {
      if (error instanceof Problem) return false
      throw error
    },
  )
