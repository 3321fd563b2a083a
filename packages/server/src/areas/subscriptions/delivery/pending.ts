import type { LogRecord } from '../../../platform/storage/index.ts'
import { eventsOf, type FeedEvent, recordedAs, type Tail } from '../../feed/index.ts'
import type { Subscription } from '../store.ts'

/** Records read at once. */
const batch = 200

/** An event on its way to a subscription. */
export interface Item {
  readonly event: FeedEvent
  /** Drawn for its first push and kept for all others. */
  distribution: number | undefined
  readonly tries: number
  /** It has been confirmed or set aside: what comes next may come. */
  settle(): void
}

/** Which events a subscription wants. */
export interface Wish {
  readonly objects: readonly string[]
  wants(event: FeedEvent): boolean
}

export function wishOf({ form, biz_id, account }: Subscription): Wish {
  const names = new Set(form.split(','))
  const kinds = [...names].map((name) => name.replace(/(create|update|delete)$/, ''))
  return {
    objects: [...new Set(kinds.flatMap(recordedAs))],
    wants: (event) =>
      names.has(event.name) && event.account === account && (biz_id === 0 || event.businessId === biz_id),
  }
}

/** The events of a stretch of the log that a subscription wants, one after another. */
export class Pending {
  readonly #tail: Tail
  readonly #account: string
  readonly #skipped: ReadonlySet<number>
  #position: number
  #items: Item[] = []
  #through: number
  readonly #advanced: (position: number) => void

  constructor(
    tail: Tail,
    { account, skipped }: { account: string; skipped: ReadonlySet<number> },
    position: number,
    advanced: (position: number) => void,
  ) {
    this.#tail = tail
    this.#account = account
    this.#skipped = skipped
    this.#position = position
    this.#through = position
    this.#advanced = advanced
  }

  get first(): Item | undefined {
    return this.#items[0]
  }

  /** Forgets what was read and goes on from there: the wish has changed, or records are gone. */
  restart(position: number): void {
    this.#items = []
    this.#position = position
    this.#through = position
  }

  /** Reads on when nothing is left; returns whether there was anything new, wanted or not. */
  async fill(wish: Wish, last = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (this.#items.length > 0) return true
    const after = this.#through
    const { records, through } = await this.#tail.readOf(this.#account, wish.objects, after, batch)
    if (this.#through !== after) return true
    for (const record of records) {
      if ((record.position as number) > last || this.#skipped.has(record.ticket)) continue
      this.#items.push(...this.#itemsOf(record, wish))
    }
    this.#through = Math.min(through, last)
    if (this.#items.length === 0) this.#reach(this.#through)
    return through > after
  }

  #itemsOf(record: LogRecord, wish: Wish): Item[] {
    return eventsOf(record)
      .filter((event) => wish.wants(event))
      .map((event) => ({ event, distribution: undefined, tries: 0, settle: () => this.#settle() }))
  }

  #settle(): void {
    const done = this.#items.shift()
    const next = this.#items[0]
    // A record is settled with the last of its events; what lies between two records wants nothing.
    if (!next) this.#reach(this.#through)
    else if (done && next.event.position > done.event.position) this.#reach(next.event.position - 1)
  }

  #reach(position: number): void {
    if (position <= this.#position) return
    this.#position = position
    this.#advanced(position)
  }
}
