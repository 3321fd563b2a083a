import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '@mainline/contract'
import type { LivePart } from '../../../../http/stream.ts'
import type { Feed } from '../feed.ts'
import { type Broadcast, type Follower, heartbeatMs, type Left } from './broadcast.ts'
import { compareCursors } from './cursor.ts'
import { CursorGone } from './resume.ts'
import { heartbeat, message } from './round.ts'
import { type Batch, type Interest, nextEvents, type Seen, type Verified, verified } from './watch.ts'

/** A client of a stream. */
export interface Listener extends Follower {
  /** How an event is shown. */
  show(seen: Seen): unknown
}

/**
 * Server-sent events; the id of each is the cursor after it. The stream reads for itself until it has caught up, and then joins the
 * broadcast. It ends before the next event if the token or a privilege was revoked; the client gets the reason when it reconnects.
 */
export async function* streamed(
  feed: Feed,
  broadcast: Broadcast,
  { interest, from, listener }: { interest: Interest; from: Verified; listener: Listener },
  until: AbortSignal,
): AsyncGenerator<string | LivePart> {
  let reached = from
  let wroteAt = performance.now()
  yield heartbeat(reached.cursor)
  while (!until.aborted) {
    const batch = await nextVerified(feed, interest, reached).catch(resumed)
    reached = batch
    if (batch.isEnd) {
      let left: Left | undefined
      yield async (sink) => {
        left = await broadcast.follow(interest, reached, listener, sink, until)
      }
      if (!left || left.isRefused) return
      reached = left
      continue
    }
    if (batch.seen.length === 0 && performance.now() - wroteAt < heartbeatMs) {
      // A stream that starts far back may read many pages without a match, so it yields between them.
      await nextTurn()
      continue
    }
    const permitted = until.aborted ? undefined : await permittedNow(listener, batch.seen).catch(endIfRefused)
    if (!permitted) return
    for (const seen of permitted) yield message(seen, listener.show(seen))
    // Also if all events were omitted, so that the client does not resume before them.
    if (permitted.length === 0) yield heartbeat(reached.cursor)
    wroteAt = performance.now()
  }
}

type Next = Batch & Verified & { readonly isEnd: boolean }

/** The next page of the log, with its matching events. */
async function nextVerified(feed: Feed, interest: Interest, from: Verified): Promise<Next> {
  const { history } = feed.storage
  for (let { cursor, era } = from; ; ) {
    if (era !== history.era) ({ cursor, era } = await verified(feed, cursor))
    const batch = await nextEvents(feed, interest, cursor)
    if (era !== history.era) continue
    return { ...batch, era, isEnd: compareCursors(batch.cursor, cursor) === 0 }
  }
}

async function permittedNow(listener: Listener, seen: readonly Seen[]): Promise<readonly Seen[]> {
  await listener.recheck()
  return listener.permitted(seen)
}

/** If the history was lost, the stream continues with the reset and the current history. */
function resumed(error: unknown): Next {
  if (error instanceof CursorGone) return { seen: [], cursor: error.resume, era: error.era, isEnd: false }
  throw error
}

function endIfRefused(error: unknown): undefined {
  if (error instanceof Problem) return undefined
  throw error
}
