import type { Storage, Writer } from '../../../platform/storage/index.ts'
import { uniqueId } from '../../../platform/unique-id.ts'

/** A process that is not heard of for so long is taken for dead, in milliseconds on the database's clock. */
export const lifeTime = 7_000
/** It stops sending so much earlier by itself. */
const margin = 1_000
/** Rows of processes that died are swept away after so long, in milliseconds. */
const longGone = 60_000

/**
 * A process as a sender. It is heard of while it beats; when it has been silent for too long, be it frozen or cut off, its
 * life is over, also when it wakes up again: then it starts another, under another name.
 */
export class Life {
  readonly id = uniqueId()
  readonly #storage: Storage
  readonly #alone: boolean
  readonly #over = new AbortController()
  #until = { monotonic: Number.POSITIVE_INFINITY, wall: Number.POSITIVE_INFINITY }
  #timer: NodeJS.Timeout | undefined

  constructor(storage: Storage) {
    this.#storage = storage
    // Where no other process can write, nobody can take anything over.
    this.#alone = storage.engine.generation !== undefined
  }

  /** Aborted when it is over. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** Asked before every push. Both clocks, since one stands still while the machine sleeps and the other can be set. */
  isAlive(): boolean {
    if (performance.now() > this.#until.monotonic || Date.now() > this.#until.wall) this.end()
    return !this.#over.signal.aborted
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#over.abort(new Error('no longer a sender'))
  }

  async beat(): Promise<void> {
    if (this.#alone) return
    const trusted = lifeTime - margin
    const until = { monotonic: performance.now() + trusted, wall: Date.now() + trusted }
    await this.#storage.upkeep((writer) => this.#renew(writer))
    // A beat that took too long is no beat.
    if (!this.isAlive()) return
    this.#until = until
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.isAlive(), trusted + 10).unref()
    this.isAlive()
  }

  async #renew(writer: Writer): Promise<void> {
    const { now } = await writer.selectNoFrom(writer.dialect.now.as('now')).executeTakeFirstOrThrow()
    await writer
      .insertInto('sender')
      .values({ id: this.id, expires: now + lifeTime })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ expires: now + lifeTime }))
      .execute()
    await writer
      .deleteFrom('sender')
      .where('expires', '<', now - longGone)
      .execute()
  }

  /** Leaves: whatever it still owns is free at once. */
  async leave(): Promise<void> {
    this.end()
    await this.#storage.upkeep(async (writer) => {
      await writer.updateTable('delivery').set({ owner: '' }).where('owner', '=', this.id).execute()
      await writer.deleteFrom('sender').where('id', '=', this.id).execute()
    })
  }
}
