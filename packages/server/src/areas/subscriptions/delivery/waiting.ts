import type { Reader } from '../../../platform/storage/index.ts'
import { keyOf, type Ledger, type Undelivered } from './ledger.ts'

type Row = Undelivered & { due: number }

/** The events of a subscription that were rejected and will be tried again. */
export class Waiting {
  readonly #ledger: Ledger
  #rows = new Map<string, Row>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  get size(): number {
    return this.#rows.size
  }

  /** As it stands in the database: dead letters may have been called back. */
  async load(reader: Reader): Promise<void> {
    const rows = await reader
      .selectFrom('undelivered')
      .selectAll()
      .where('subscription', '=', this.#ledger.id)
      .where('due', 'is not', null)
      .execute()
    this.#rows = new Map(rows.map((row) => [keyOf(row.position, row.event), row as Row]))
  }

  /** Until when there is nothing to try again. */
  nextDue(): number {
    return this.#rows.values().reduce((first, { due }) => Math.min(first, due), Number.POSITIVE_INFINITY)
  }

  /** The one that is due first, if its time has come. */
  firstDue(now: number): Row | undefined {
    if (this.#rows.size === 0) return undefined
    const first = this.#rows.values().reduce((best, row) => (row.due < best.due ? row : best))
    return first.due <= now ? first : undefined
  }

  /** It is tried again when it is due; without that it has had its last try. */
  put(row: Undelivered): void {
    const key = keyOf(row.position, row.event)
    if (row.due === null) this.#rows.delete(key)
    else this.#rows.set(key, row as Row)
    this.#ledger.setAside(key, row)
  }

  /** Confirmed after all, or no longer wanted. */
  drop(position: number, event: number): void {
    const key = keyOf(position, event)
    if (this.#rows.delete(key)) this.#ledger.setAside(key, undefined)
  }
}
