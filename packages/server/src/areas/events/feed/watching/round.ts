import { inTurns } from '../../../../common/concurrency/turns.ts'
import type { Identities } from '../event.ts'
import type { Feed } from '../feed.ts'
import { type Cursor, writeCursor } from './cursor.ts'
import type { Seen } from './watch.ts'

/** Pieces of a message larger than this are written one by one, so that a client that does not read is noticed in between. */
const pieceLength = 65_536

/** Bytes to write, and the cursor after them. */
export interface Piece {
  readonly bytes: Buffer
  readonly cursor: Cursor
}

/** A message without data: EventSource stores its id, from which it resumes. */
export const heartbeat = (cursor: Cursor): string => `id: ${writeCursor(cursor)}\n:\n\n`

export const message = (seen: Seen, shown: unknown): string =>
  `id: ${writeCursor(seen.cursor)}\ndata: ${JSON.stringify(shown)}\n\n`

/**
 * One pass over all streams of a broadcast, up to the end of the log as it was known at its start. What it has read, checked or serialised
 * for one stream is used for all others.
 */
export class Round {
  readonly feed: Feed
  readonly end: number
  readonly #show: (seen: Seen) => unknown
  readonly #messages = new Map<string, string>()
  readonly #checks = new Map<string, { through: number; result: Promise<void> }>()

  constructor(feed: Feed, show: (seen: Seen) => unknown) {
    this.feed = { ...feed, identities: feed.identities && readOnce(feed.identities) }
    this.end = feed.tail.known()
    this.#show = show
  }

  async piecesOf(events: readonly Seen[]): Promise<Piece[]> {
    const pieces: Piece[] = []
    const last = events.at(-1)
    let text = ''
    await inTurns(events, (seen) => {
      text += this.#messageOf(seen)
      if (text.length < pieceLength && seen !== last) return
      pieces.push({ bytes: Buffer.from(text), cursor: seen.cursor })
      text = ''
    })
    return pieces
  }

  #messageOf(seen: Seen): string {
    const key = `${seen.event.position}/${seen.event.index}`
    let text = this.#messages.get(key)
    if (text === undefined) {
      text = message(seen, this.#show(seen))
      this.#messages.set(key, text)
    }
    return text
  }

  /**
   * Checks credentials once for all streams that have them. The check counts for events up to `through`, which were in the log before it
   * began: a privilege revoked before an event must be noticed before the event is sent.
   */
  checked(
    credentials: string,
    { position, through }: { position: number; through: number },
    check: () => Promise<void>,
  ): Promise<void> {
    const known = this.#checks.get(credentials)
    if (known && known.through >= position) return known.result
    const result = check()
    this.#checks.set(credentials, { through, result })
    return result
  }
}

/** Hosts that several streams get events about are looked up once. */
function readOnce(identities: Identities): Identities {
  const known = new Map<string, Promise<unknown>>()
  const once = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const reading = (known.get(key) as Promise<T> | undefined) ?? read()
    known.set(key, reading)
    return reading
  }
  return {
    identityOf: (account, host) => once(`${account}\n${host}`, () => identities.identityOf(account, host)),
    hostsNamedBy: (...asked) => once(JSON.stringify(asked), () => identities.hostsNamedBy(...asked)),
  }
}
