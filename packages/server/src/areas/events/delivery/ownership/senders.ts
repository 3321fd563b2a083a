import type { Progress } from '../progress.ts'
import type { Sender } from '../sender.ts'
import type { Owned } from './claim.ts'

/** How long pushes in flight may still be answered when a sender stops in an orderly way. */
const graceMs = 1_000

interface SendersParts {
  start(owned: Owned): Sender
  /** The subscription has no sender in this process any more. */
  onGone(subscription: number): void
}

/** The senders of this process, one for each subscription that it owns. */
export class Senders {
  readonly #parts: SendersParts
  readonly #running = new Map<number, Sender>()
  /** Epochs that already had a sender: the distribution numbers reserved with a claim may be used by one sender only. */
  readonly #begun = new Map<number, number>()

  constructor(parts: SendersParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#running.size
  }

  all(): IterableIterator<Sender> {
    return this.#running.values()
  }

  /** Starts, refreshes and drops senders. Returns subscriptions that have lost their sender and must be claimed again. */
  follow(owned: readonly Owned[]): Owned[] {
    const mine = new Map(owned.map((each) => [each.id, each]))
    for (const sender of [...this.all()]) {
      const row = mine.get(sender.progress.id)
      if (row?.epoch !== sender.progress.epoch) this.drop(sender.progress)
      else if (row.version !== sender.version) sender.refresh(row)
    }
    for (const id of this.#begun.keys()) if (!mine.has(id)) this.#begun.delete(id)
    const orphans: Owned[] = []
    for (const row of owned) {
      if (this.#running.has(row.id)) continue
      if (this.#begun.get(row.id) === row.epoch) {
        orphans.push(row)
        continue
      }
      this.#begun.set(row.id, row.epoch)
      this.#running.set(row.id, this.#parts.start(row))
    }
    return orphans
  }

  /** Another process owns the subscription now, or it was deleted. */
  drop(progress: Progress): void {
    const sender = this.#running.get(progress.id)
    if (sender?.progress !== progress) return
    this.#remove(progress.id)
    sender.stop()
  }

  dropAll(): void {
    for (const sender of [...this.all()]) this.drop(sender.progress)
  }

  /** Stops the senders of the newest subscriptions, which probably have the least state. Returns what they have to save. */
  async stopNewest(count: number): Promise<Progress[]> {
    const surplus = [...this.all()].sort((a, b) => b.progress.id - a.progress.id).slice(0, count)
    for (const { progress } of surplus) this.#remove(progress.id)
    return await stopped(surplus)
  }

  /** Stops all senders when the process stops. Returns what they have to save. */
  async stopAll(): Promise<Progress[]> {
    return await stopped([...this.all()])
  }

  /** The database has gone back: its epochs may have served another sender. */
  forgetEpochs(): void {
    this.#begun.clear()
  }

  #remove(id: number): void {
    this.#running.delete(id)
    this.#parts.onGone(id)
  }
}

async function stopped(senders: readonly Sender[]): Promise<Progress[]> {
  await Promise.all(senders.map((sender) => sender.stop(graceMs)))
  return senders.map((sender) => sender.progress)
}
