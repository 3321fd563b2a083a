// Reads as of a moment: storage that reads versions in place of the live rows.
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { problem, rule } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import {
  type CommittedReader,
  type Moment,
  readMoment,
  recordId,
  type Storage,
  shadowed,
} from '../../../storage/index.ts'
import type { Projector } from './projector.ts'
import { shadowsOf } from './shadows.ts'
import { type AccountState, isPostponed, readAccount, readHead, stages } from './state.ts'

/** Moments whose readers and caches are kept. */
const maxKept = 16
/** How long a read waits for the newest records to become part of the past. */
const waitMs = 5_000
const lookAgainMs = 10

export interface PastStorage {
  readonly moment: Moment
  readonly storage: Storage
  /** After a read: refuses if the versions were being derived anew meanwhile. */
  confirm(): Promise<void>
}

/** Opens the past of an account. */
export class PastViews {
  readonly #storage: Storage
  readonly #projector: Projector
  readonly #zone: Zone
  readonly #kept = new Map<string, Storage>()

  constructor(storage: Storage, projector: Projector, zone: Zone) {
    this.#storage = storage
    this.#projector = projector
    this.#zone = zone
    storage.history.onDrop(() => this.#kept.clear())
  }

  /** The storage as of the moment that a request names, once it is part of the past. */
  async at(account: string, text: unknown): Promise<PastStorage> {
    const { read } = this.#storage
    const moment = await readMoment(read, { account, text, field: 'as_of', zone: this.#zone })
    await this.#reached(account, moment)
    await this.#expectComplete(account, moment)
    const { position } = moment
    const record = await read
      .selectFrom('log')
      .select(['txn_id', 'ordinal'])
      .where('position', '=', position)
      .executeTakeFirst()
    // Removed by retention since the moment was read.
    if (!record) throw await this.#before(account, moment)
    const key = `${account} ${recordId(record)}`
    const storage = this.#kept.get(key) ?? pastOf(this.#storage, { account, position, stamp: stampOf(key) })
    this.#kept.delete(key)
    this.#kept.set(key, storage)
    for (const oldest of this.#kept.keys()) if (this.#kept.size > maxKept) this.#kept.delete(oldest)
    return {
      moment,
      storage,
      confirm: () =>
        this.#expectComplete(account, moment).catch((error) => {
          this.#kept.delete(key)
          throw error
        }),
    }
  }

  /** Waits until the moment is part of the past: for new records, and for the older ones of an account that has just begun. */
  async #reached(account: string, moment: Moment): Promise<void> {
    for (const until = performance.now() + waitMs; ; ) {
      const { position } = await readHead(this.#storage.read)
      const state = await readAccount(this.#storage.read, account)
      const isRead = state && (state.complete_from <= moment.position || state.reading_below === 0)
      if (position >= moment.position && state?.stage === stages.complete && isRead) return
      if ((state && isPostponed(state)) || performance.now() > until) return
      this.#projector.hurry()
      await pause(lookAgainMs)
    }
  }

  async #expectComplete(account: string, moment: Moment): Promise<void> {
    const { position } = await readHead(this.#storage.read)
    const state = await readAccount(this.#storage.read, account)
    if (position < moment.position || state?.stage !== stages.complete) {
      throw problem('notReady', { rule: rule('pastBehind') })
    }
    if (moment.position < state.complete_from) throw await this.#before(account, moment, state)
  }

  async #before(account: string, moment: Moment, known?: AccountState) {
    const state = known ?? (await readAccount(this.#storage.read, account))
    const oldest = Math.max(moment.position + 1, state?.complete_from ?? 0)
    const record = await this.#storage.read
      .selectFrom('log')
      .select(['position', 'op_time'])
      .where('position', '>=', oldest)
      .where('account', '=', account)
      .orderBy('position')
      .limit(1)
      .executeTakeFirst()
    const time = this.#zone.write(record?.op_time ?? moment.time)
    return problem('momentGone', { time, position: record?.position ?? oldest })
  }
}

/** Identifies the record, and so the history, that the moment belongs to. Small enough for an integer of JSON. */
const stampOf = (record: string): number => createHash('sha256').update(record).digest().readUIntBE(0, 6)

function pastOf(storage: Storage, moment: Parameters<typeof shadowsOf>[1]): Storage {
  const shadows = shadowsOf(storage, moment)
  const seen = (reader: CommittedReader) => shadowed(reader, shadows)
  const never = async () => {
    throw new Error('the past is not changed')
  }
  return {
    ...storage,
    isPast: true,
    read: seen(storage.read),
    heavy: seen(storage.heavy),
    change: never,
    rehearse: never,
    upkeep: never,
  }
}
