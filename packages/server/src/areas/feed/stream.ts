import type { Cursor } from './cursor.ts'
import { type Feed, type Interest, type Seen, waitForEvents } from './watch.ts'

/** How long a stream stays silent, in milliseconds: proxies cut what says nothing. */
const longestSilence = 15_000

/** Events as they happen, in the form of server-sent events: the id of each is the cursor after it. */
export async function* streamed(
  feed: Feed,
  interest: Interest,
  from: Cursor,
  until: AbortSignal,
  show: { cursor(cursor: Cursor): string; event(seen: Seen): unknown },
): AsyncGenerator<string> {
  let cursor = from
  // An event without data is not handed to anybody, but its id is where the client will resume.
  const here = () => `id: ${show.cursor(cursor)}\n:\n\n`
  yield here()
  while (!until.aborted) {
    const silent = AbortSignal.any([until, AbortSignal.timeout(longestSilence)])
    const batch = await waitForEvents(feed, interest, cursor, silent)
    for (const seen of batch.seen) {
      yield `id: ${show.cursor(seen.cursor)}\ndata: ${JSON.stringify(show.event(seen))}\n\n`
    }
    cursor = batch.cursor
    if (batch.seen.length === 0) yield here()
  }
}
