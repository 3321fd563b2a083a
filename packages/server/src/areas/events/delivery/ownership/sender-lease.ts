import { uniqueId } from '../../../../common/unique-id.ts'
import type { Storage, Writer } from '../../../../storage/index.ts'

/** A process that does not renew its lease for this long, by the database's clock, is considered dead. */
export const leaseMs = 7_000
/** The process itself stops sending this much earlier. */
const marginMs = 1_000
const renewPauseMs = 1_500
/** Leases of dead processes are deleted after this. */
const removeAfterMs = 60_000

/**
 * The lease of a process that delivers events, renewed by a heartbeat. A process that was frozen or cut off for too long has lost it for
 * good, and starts again with a new lease under a new id.
 */
export class SenderLease {
  readonly id = uniqueId()
  readonly #storage: Storage
  readonly #alone: boolean
  readonly #over = new AbortController()
  #until = { monotonic: Number.POSITIVE_INFINITY, wall: Number.POSITIVE_INFINITY }
  #renewedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(storage: Storage) {
    this.#storage = storage
    this.#alone = !storage.engine.isShared
  }

  /** Aborted when the lease is lost or released. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** Checked before every push, on both clocks: the monotonic one may stop while the machine sleeps, the wall clock can be set. */
  isHeld(): boolean {
    if (performance.now() > this.#until.monotonic || Date.now() > this.#until.wall) this.end()
    return !this.#over.signal.aborted
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#over.abort(new Error('no longer a sender'))
  }

  /** Called more often than it is necessary to renew. */
  async renew(): Promise<void> {
    const now = performance.now()
    if (this.#alone || now - this.#renewedAt < renewPauseMs) return
    const trusted = leaseMs - marginMs
    const until = { monotonic: performance.now() + trusted, wall: Date.now() + trusted }
    await this.#storage.upkeep((writer) => this.#renew(writer))
    // A renewal that took too long does not count.
    if (!this.isHeld()) return
    this.#until = until
    this.#renewedAt = now
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.isHeld(), trusted + 10).unref()
    this.isHeld()
  }

  async #renew(writer: Writer): Promise<void> {
    const { now } = await writer.selectNoFrom(writer.dialect.now.as('now')).executeTakeFirstOrThrow()
    await writer
      .insertInto('sender')
      .values({ id: this.id, expires: now + leaseMs })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ expires: now + leaseMs }))
      .execute()
    await writer
      .deleteFrom('sender')
      .where('expires', '<', now - removeAfterMs)
      .execute()
  }

  /** Releases the lease, so that other processes can claim its subscriptions immediately. */
  async release(): Promise<void> {
    this.end()
    await this.#storage.upkeep(async (writer) => {
      await writer.updateTable('delivery').set({ owner: '' }).where('owner', '=', this.id).execute()
      await writer.deleteFrom('sender').where('id', '=', this.id).execute()
    })
  }
}
