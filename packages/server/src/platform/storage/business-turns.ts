// Turns at a business, which many changes share (hosts) and some want for themselves (sets, modules): on PostgreSQL those that
// share a row never queue behind one that waits to have it alone. See docs/decisions/0017-a-turn-for-the-model.md.
import type { Engine } from './engine.ts'
import { LockTimeout } from './lock-timeout.ts'
import { letGoFirst, type Mark, withMark } from './waiting.ts'

export interface BusinessTurns {
  /** Whether this change lets another go first that waits to have the business alone. */
  givesWayIn(business: number): boolean
  /** There is such a change: rolls this one back, to begin again after the other. */
  giveWay(business: number): never
  /** Runs the statement that locks the business for this change alone. */
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

/** What an attempt at a change has learned from those before it. */
export interface Attempt {
  readonly turns: BusinessTurns
  /** How long a lock is waited for: briefly at first, so that whatever is held up soon asks for a turn. */
  readonly lockWait: 'brief' | 'full'
  /** Removes what says that this change waits, in its own transaction. */
  readonly mark?: Mark
}

/** Where rows are not locked, and in rehearsals, which hold what they hold until the end. */
export const withoutTurns: BusinessTurns = {
  givesWayIn: () => false,
  giveWay: (business) => {
    throw new GiveWay(business)
  },
  alone: (_, lock) => lock(),
}

/** Runs a change until it has had its turn. The ordinary change is run once, and asks for nothing. */
export async function takingTurns<T>(
  engine: Engine,
  account: string,
  run: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  if (!engine.dialect.locksRows) return run({ turns: withoutTurns, lockWait: 'full' })
  const gaveWayIn = new Set<number>()
  const turnsOf = (alone: BusinessTurns['alone']): BusinessTurns => ({
    givesWayIn: (business) => !gaveWayIn.has(business),
    giveWay: withoutTurns.giveWay,
    alone,
  })
  const askingForTurn: BusinessTurns['alone'] = async (business, lock) => {
    try {
      return await lock()
    } catch (error) {
      throw error instanceof LockTimeout ? new NeedsTurn(business) : error
    }
  }
  /** Again for as long as there is another business to give way in. */
  const giving = async (attempt: Attempt): Promise<T> => {
    try {
      return await run(attempt)
    } catch (error) {
      if (!(error instanceof GiveWay) || gaveWayIn.has(error.business)) throw error
      await letGoFirst(engine, account, error.business)
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
