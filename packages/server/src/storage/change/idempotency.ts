// `Idempotency-Key`: the result of a request is stored in the transaction that makes its change, so that a client that lost its
// connection can retry and gets the same answer, whether or not the first attempt was committed.
import { problem } from '@mainline/contract'
import { uniqueId } from '../../common/unique-id.ts'
import type { Connection } from '../connection.ts'
import type { Engine } from '../engine.ts'
import { type Reader, readerOver, type Writer, writerOver } from '../handles.ts'
import { LockTimeout } from './lock-timeout.ts'

export const keptMs = 24 * 3_600_000

interface Caller {
  readonly account: string
  readonly user: string
}

interface StoredStep {
  readonly account: string
  readonly user_name: string
  readonly key: string
  readonly step: number
}

/** A request with an idempotency key. It may make several changes in sequence; each is a step. */
export class IdempotentRequest {
  readonly key: string
  /** Hash of method, path and body: reusing the key for another request is refused. */
  readonly hash: string
  #step = 0
  #replayed = false
  #refusal: { readonly by: unknown } | undefined

  constructor(key: string, hash: string) {
    this.key = key
    this.hash = hash
  }

  /** Whether any step was answered with a stored result. */
  get replayed(): boolean {
    return this.#replayed
  }

  /** The caller may not make this change any more, and only gets the stored result: without one the request is refused. */
  onlyReplay(refusal: unknown): void {
    this.#refusal = { by: refusal }
  }

  /** A failed change has stored nothing, so the next one takes its step. */
  async counting<T>(change: () => Promise<T>): Promise<T> {
    const done = await change()
    this.#step++
    return done
  }

  /** The stored result of this step, or else the result of the work, which is stored in the same transaction. */
  async once<T>(writer: Writer, { account, user }: Caller, now: number, work: () => Promise<T>): Promise<T> {
    const row = { account, user_name: user, key: this.key, step: this.#step }
    if (!(await this.#claim(writer, row, now))) {
      const stored = await writer
        .selectFrom('idempotent_change')
        .select(['request_hash', 'result'])
        .where((eb) => eb.and(row))
        .executeTakeFirstOrThrow()
      if (stored.request_hash !== this.hash) throw problem('keyReused')
      this.#replayed = true
      return stored.result === '' ? (undefined as T) : JSON.parse(stored.result)
    }
    if (this.#refusal) throw this.#refusal.by
    const done = await work()
    const result = JSON.stringify(done) ?? ''
    if (result !== '') {
      await writer
        .updateTable('idempotent_change')
        .set({ result })
        .where((eb) => eb.and(row))
        .execute()
    }
    return done
  }

  /**
   * Claims the key for this transaction; false if it is stored already. On PostgreSQL the insert waits for a concurrent transaction with
   * the same key, also of another process. If that does not end in time, the first request is still running.
   */
  async #claim(writer: Writer, row: StoredStep, now: number): Promise<boolean> {
    const fresh = { request_hash: this.hash, result: '', made_at: now }
    const claimed = await writer
      .insertInto('idempotent_change')
      .values({ ...row, ...fresh })
      .onConflict((conflict) =>
        conflict
          .columns(['account', 'user_name', 'key', 'step'])
          .doUpdateSet(fresh)
          .where('idempotent_change.made_at', '<=', now - keptMs),
      )
      .returning('step')
      .execute()
      .catch((error: unknown) => {
        throw error instanceof LockTimeout ? problem('keyRunning', { retryAfter: 1 }) : error
      })
    return claimed.length > 0
  }
}

/** Whether a result is stored under a caller's key; for the request with this hash, if given. */
export async function hasStoredResult(
  reader: Reader,
  { account, user }: Caller,
  key: string,
  hash?: string,
): Promise<boolean> {
  const found = await reader
    .selectFrom('idempotent_change')
    .select('request_hash')
    .where('account', '=', account)
    .where('user_name', '=', user)
    .where('key', '=', key)
    .where('made_at', '>', Date.now() - keptMs)
    .$if(hash !== undefined, (query) => query.where('request_hash', '=', hash ?? ''))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Results removed per transaction: a client may store thousands a second. */
const removedAtOnce = 1_000

/** Removes some of the results that are older than a day. Returns whether there may be more. */
export async function forgetOldKeys(engine: Engine, now: number, limit = removedAtOnce): Promise<boolean> {
  const reader = readerOver(engine.reads, engine)
  const old = reader.selectFrom('idempotent_change').where('made_at', '<', now - keptMs)
  const [last] = await old
    .select('made_at')
    .orderBy('made_at')
    .offset(limit - 1)
    .limit(1)
    .execute()
  const removing = (connection: Connection) =>
    writerOver(connection, engine)
      .deleteFrom('idempotent_change')
      .where('made_at', '<', now - keptMs)
      .$if(last !== undefined, (query) => query.where('made_at', '<=', last?.made_at ?? 0))
      .execute()
  await engine.transact(uniqueId(), removing, { bulk: true })
  return last !== undefined
}
