import type { Storage } from '../../../../storage/index.ts'
import type { ProgressStore } from '../progress-store.ts'
import { claim, findOwned, isAnySubscribed, releaseClaims } from './claim.ts'
import { SenderLease } from './sender-lease.ts'
import type { Senders } from './senders.ts'

/** Which subscriptions this process owns. Compares the stored claims with the running senders at every look. */
export class Ownership {
  readonly #storage: Storage
  readonly #store: ProgressStore
  readonly #senders: Senders
  #lease: SenderLease
  #isClosing = false
  #isNeeded = true
  #looking: Promise<void> = Promise.resolve()
  #queued: Promise<void> | undefined

  constructor(storage: Storage, store: ProgressStore, senders: Senders) {
    this.#storage = storage
    this.#store = store
    this.#senders = senders
    this.#lease = new SenderLease(storage)
  }

  /** Senders stop with the lease that they were started under. */
  get lease(): SenderLease {
    return this.#lease
  }

  /** Whether there were subscriptions, of any process, at the last look. Without them the lease is not renewed. */
  get isNeeded(): boolean {
    return this.#isNeeded
  }

  /** One look at a time; requests made during one share the next. */
  look(): Promise<void> {
    this.#queued ??= this.#looking.then(() => {
      this.#queued = undefined
      this.#looking = this.#look().catch((error) =>
        this.#storage.background.failed('looking after subscriptions', error),
      )
      return this.#looking
    })
    return this.#queued
  }

  async #look(): Promise<void> {
    this.#isNeeded = this.#senders.size > 0 || (await isAnySubscribed(this.#storage.read))
    if (!this.#isNeeded) return
    await this.#replaceLease()
    await this.#lease.renew()
    if (!this.#lease.isHeld()) return
    const { id } = this.#lease
    const owned = await findOwned(this.#storage.read, id)
    const orphans = this.#follow(owned)
    await releaseClaims(this.#storage, id, orphans)
    const claimed = await claim(this.#storage, id, owned.length - orphans.length)
    if (claimed > 0) this.#follow(await findOwned(this.#storage.read, id))
    else if (claimed < 0) await this.#store.close(await this.#senders.stopNewest(-claimed))
  }

  #follow(owned: Parameters<Senders['follow']>[0]): ReturnType<Senders['follow']> {
    return this.#lease.isHeld() && !this.#isClosing ? this.#senders.follow(owned) : []
  }

  /** When the lease has been lost, its senders stop, and a new lease starts without subscriptions; other processes may claim them. */
  async #replaceLease(): Promise<void> {
    if (this.#lease.isHeld()) return
    this.#senders.dropAll()
    const over = this.#lease
    this.#lease = new SenderLease(this.#storage)
    await over.release()
  }

  /** No sender is started from now on. */
  beginClosing(): void {
    this.#isClosing = true
  }

  /** Saves the progress of all senders and releases their subscriptions. */
  async close(): Promise<void> {
    const progresses = await this.#senders.stopAll()
    try {
      await this.#store.close(progresses)
      await this.#lease.release()
    } catch (error) {
      this.#storage.background.failed('letting go of subscriptions', error)
    }
  }
}
