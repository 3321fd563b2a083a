// Fair locking of a business, which changes of hosts hold shared and changes of sets and modules exclusively: on PostgreSQL shared
// row locks never queue behind a waiting exclusive one, which could starve. See docs/decisions/0017-a-turn-for-the-model.md.
import type { Engine } from '../engine.ts'
import { briefLockTimeoutMs, LockTimeout } from './lock-timeout.ts'
import { markedWhile, type TurnMark, waitForMarked, withMark } from './waiting.ts'

export interface BusinessTurns {
  /** Whether this change yields to one that waits for the exclusive lock on the business. */
  givesWayIn(business: number): boolean
  /** Rolls this change back, to be retried after the one that waits. */
  giveWay(business: number): never
  /** Runs the statement that locks the business exclusively. */
  alone<T>(business: number, lock: () => Promise<T>): Promise<T>
}

class GiveWay extends Error {
  readonly business: number
  constructor(business: number) {
    super(`another change waits for business ${business}`)
    this.business = business
  }
}

class NeedsTurn extends Error {
  readonly business: number
  constructor(business: number) {
    super(`others share business ${business}`)
    this.business = business
  }
}

/** State that an attempt at a change inherits from earlier attempts. */
export interface Attempt {
  readonly turns: BusinessTurns
  /** Brief at first, so that a blocked change soon announces that it waits for its turn. */
  readonly lockWait: 'brief' | 'full'
  /** The mark of this waiting change; its transaction removes it. */
  readonly mark?: TurnMark
}

/** For engines without row locks, and for rehearsals, which keep all locks until their end. */
export const withoutTurns: BusinessTurns = {
  givesWayIn: () => false,
  giveWay: (business) => {
    throw new GiveWay(business)
  },
  alone: (_, lock) => lock(),
}

/** Retries a change until it has had its turn. Without contention it runs once. */
export async function takingTurns<T>(
  engine: Engine,
  account: string,
  run: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  if (!engine.isShared) return run({ turns: withoutTurns, lockWait: 'full' })
  const gaveWayIn = new Set<number>()
  const turnsOf = (alone: BusinessTurns['alone']): BusinessTurns => ({
    givesWayIn: (business) => !gaveWayIn.has(business),
    giveWay: withoutTurns.giveWay,
    alone,
  })
  const askingForTurn: BusinessTurns['alone'] = async (business, lock) => {
    const turn = lock()
    // Waits for others that come and go never reach the lock timeout: each wait for one of them is short.
    const late = setTimeout(() => markedWhile(engine, { account, business }, turn), briefLockTimeoutMs)
    try {
      return await turn
    } catch (error) {
      throw error instanceof LockTimeout ? new NeedsTurn(business) : error
    } finally {
      clearTimeout(late)
    }
  }
  /** Retries for each further business in which the change has to yield. */
  const giving = async (attempt: Attempt): Promise<T> => {
    try {
      return await run(attempt)
    } catch (error) {
      if (!(error instanceof GiveWay) || gaveWayIn.has(error.business)) throw error
      await waitForMarked(engine, account, error.business)
      gaveWayIn.add(error.business)
      return giving(attempt)
    }
  }
  try {
    return await giving({ turns: turnsOf(askingForTurn), lockWait: 'brief' })
  } catch (error) {
    const patient: Attempt = { turns: turnsOf((_, lock) => lock()), lockWait: 'full' }
    if (error instanceof LockTimeout) return giving(patient)
    if (!(error instanceof NeedsTurn)) throw error
    return withMark(engine, { account, business: error.business }, (mark) =>
      giving({ ...patient, turns: turnsOf((_, lock) => mark.until(lock())), mark }),
    )
  }
}
