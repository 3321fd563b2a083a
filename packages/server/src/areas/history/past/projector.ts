// Turns the log into versions of rows, in the background.
import { setTimeout as pause } from 'node:timers/promises'
import { WakeSignal } from '../../../common/concurrency/wake-signal.ts'
import { uniqueId } from '../../../common/unique-id.ts'
import { backoffMs, type LogRecord, type Storage, type UpkeepOptions, type Writer } from '../../../storage/index.ts'
import { copySome, IncompleteRecord } from './filling.ts'
import { foldBackward, foldForward } from './fold.ts'
import {
  type AccountState,
  addAccounts,
  expectUnmoved,
  type Head,
  isHeldElsewhere,
  isPostponed,
  moveHead,
  notBegun,
  Overtaken,
  readAccounts,
  readHead,
  releaseHead,
  saveAccount,
  settleMs,
  stages,
  takingAt,
} from './state.ts'
import { recordsAfter, recordsBefore, stepsOf } from './steps.ts'
import { clearSome, type Place, removeSome, start } from './trimming.ts'

/**
 * Records are gathered for this long, or until the log has grown this often, since a batch costs a transaction and a dozen statements however few
 * records it has. A read that waits for them ends it.
 */
const gatherMs = 250
const manyGrowths = 100
/** After a failure. */
const retryPauseMs = 50
/** While another process is at work. */
const elsewherePauseMs = 250
/** Interval at which an idle process of several looks for records that the others have left. */
const idlePauseMs = 15_000
/** How often an account that waits for that is looked at. */
const lookLaterMs = 5_000
/** While the next records are of a transaction that is numbered in part. */
const unfinishedPauseMs = 20
/** More records than this are written by a thread of their own. */
const manyRecords = 1_000

/**
 * Follows the log, one process at a time, in batches that are conditional on the position they began at:
 *
 *   records after the head -> forward | rows to copy -> copying | older records -> backward | the floor was raised -> trimming
 *
 * Records after the head come first, so that it lags behind little whatever else is to be done.
 */
export class Projector {
  readonly #storage: Storage
  readonly #holder = uniqueId()
  readonly #grown = new WakeSignal()
  readonly #gathered = new WakeSignal()
  #growths = 0
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #holds = false
  #head: Head | undefined
  #isHurried = false
  /** Where trimming to a floor continues. A restart, or another process, begins anew. */
  #trimming: Trimming | undefined

  constructor(storage: Storage) {
    this.#storage = storage
    storage.onGrowth(() => {
      this.#grown.wake()
      if (++this.#growths >= manyGrowths) this.#gathered.wake()
    })
    storage.history.onDrop(() => {
      this.#head = undefined
      this.#grown.wake()
    })
    this.#running = this.#run()
  }

  /** A read waits for newer records. */
  hurry(): void {
    this.#isHurried = true
    this.#grown.wake()
    this.#gathered.wake()
  }

  /** Records that had not been turned into versions, by this process or another one, when this process looked last. */
  lag(): number {
    return this.#head ? Math.max(0, this.#head.logPosition - Math.max(0, this.#head.position)) : 0
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#grown.wake()
    this.#gathered.wake()
    await this.#running
    if (!this.#holds) return
    await this.#storage
      .upkeep((writer) => releaseHead(writer, this.#holder), { isDerived: true })
      .catch((error) => this.#storage.background.failed('releasing the past', error))
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { background, engine } = this.#storage
    for (let failures = 0; !signal.aborted; ) {
      await background.available(signal)
      if (signal.aborted) return
      try {
        const state = await this.#pass()
        failures = 0
        if (state === 'elsewhere') await this.#rest(elsewherePauseMs)
        else
          await this.#wait(state === 'later' ? lookLaterMs : engine.isShared ? idlePauseMs : Number.POSITIVE_INFINITY)
      } catch (error) {
        if (error instanceof Overtaken) await this.#rest(elsewherePauseMs)
        else {
          background.failed('deriving the past from the log', error)
          await this.#rest(backoffMs(retryPauseMs, ++failures))
        }
      }
      this.#isHurried = false
    }
  }

  /** Waits for new records, and some more for those that follow them. */
  async #wait(forMs: number): Promise<void> {
    await this.#grown.wait(forMs)
    if (!this.#isHurried) await this.#gathered.wait(gatherMs)
    this.#growths = 0
  }

  async #rest(forMs: number): Promise<void> {
    await pause(forMs, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {})
  }

  /** Works until nothing is left, or only what must wait. */
  async #pass(): Promise<'done' | 'later' | 'elsewhere'> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const head = await this.#look()
      if (isHeldElsewhere(head, this.#holder) && (await this.#isPending(head))) return 'elsewhere'
      const began = performance.now()
      const done = await this.#step(head)
      if (done === 'nothing') return 'done'
      if (done === 'later') return 'later'
      if (done === 'unfinished') await this.#rest(unfinishedPauseMs)
      // Work that no request waits for takes half of the time at most.
      if (done === 'upkeep' && !this.#isHurried) await this.#rest(performance.now() - began)
    }
    return 'done'
  }

  async #look(): Promise<Head> {
    this.#head = await readHead(this.#storage.read)
    return this.#head
  }

  async #isPending(head: Head): Promise<boolean> {
    if (head.position < head.logPosition) return true
    const accounts = await readAccounts(this.#storage.read)
    return accounts.some((state) => state.stage !== stages.complete || state.reading_below > 0)
  }

  async #step(head: Head): Promise<'records' | 'unfinished' | 'upkeep' | 'later' | 'nothing'> {
    // Only a database that was tampered with ends before what was derived from it.
    if (head.position === notBegun || head.position > head.logPosition) return this.#begin(head)
    if (head.position < head.logPosition) return this.#goForward(head)
    const accounts = await readAccounts(this.#storage.read)
    const beginning = accounts.find((state) => state.stage !== stages.complete && !isPostponed(state))
    if (beginning) return this.#copy(head, beginning)
    const unread = accounts.find((state) => state.stage === stages.complete && state.reading_below > 0)
    if (unread) return this.#goBack(head, unread)
    if (head.trimmed < head.floor - 1) return this.#trim(head, accounts)
    return accounts.some((state) => state.stage !== stages.complete) ? 'later' : 'nothing'
  }

  async #write(head: Head, to: Partial<Head>, work: (writer: Writer) => Promise<void>, options?: UpkeepOptions) {
    const move = {
      ...(to.position !== undefined && { position: to.position }),
      ...(to.trimmed !== undefined && { trimmed: to.trimmed }),
    }
    await this.#storage.upkeep(
      async (writer) => {
        await moveHead(writer, this.#holder, head, move)
        await work(writer)
      },
      { ...options, isDerived: true },
    )
    this.#holds = true
  }

  async #begin(head: Head): Promise<'upkeep'> {
    const accounts = await this.#storage.read.selectFrom('account').select('name').execute()
    await this.#write(head, { position: head.logPosition }, async (writer) => {
      await addAccounts(
        writer,
        accounts.map(({ name }) => name),
      )
      await writer.updateTable('past_account').set({ stage: stages.clearing }).execute()
    })
    return 'upkeep'
  }

  async #goForward(head: Head): Promise<'records' | 'unfinished' | 'upkeep'> {
    const { records, isUnfinished } = await recordsAfter(this.#storage.heavy, head.position)
    if (isUnfinished) return 'unfinished'
    // Retention has removed records that were not turned into versions: no process was running for that long.
    if (records[0]?.position !== head.position + 1) return this.#begin(head)
    const position = records.at(-1)?.position ?? head.logPosition
    const byAccount = Map.groupBy(records, (record) => record.account)
    const taken = await Promise.all(
      [...byAccount].map(async ([account, own]: [string, LogRecord[]]) => ({ account, ...(await stepsOf(own)) })),
    )
    const bulk = records.length > manyRecords
    await this.#write(
      head,
      { position },
      async (writer) => {
        const states = new Map((await readAccounts(writer)).map((state) => [state.account, state]))
        await addAccounts(
          writer,
          taken.flatMap(({ account }) => (states.has(account) ? [] : [account])),
        )
        for (const { account, steps, incompleteTo } of taken) {
          const stage = states.get(account)?.stage ?? stages.small
          if (incompleteTo !== undefined) {
            const begin_after = Date.now() + settleMs
            await saveAccount(writer, account, { stage: stages.clearing, begin_after, reading_below: 0 })
          } else if (stage !== stages.clearing) await foldForward(writer, account, steps, takingAt(stage))
        }
      },
      { bulk },
    )
    return 'records'
  }

  async #copy(head: Head, state: AccountState): Promise<'upkeep'> {
    const { account } = state
    if (state.stage === stages.clearing) {
      await this.#write(head, {}, async (writer) => {
        await expectUnmoved(writer, state)
        if (!(await clearSome(writer, account))) return
        await saveAccount(writer, account, { stage: stages.small, copied_to: 0, reading_below: 0 })
      })
      return 'upkeep'
    }
    try {
      const copying = async (writer: Writer) => {
        await expectUnmoved(writer, state)
        await copySome(writer, state, head.position)
      }
      await this.#write(head, {}, copying, { oneMoment: true })
    } catch (error) {
      if (!(error instanceof IncompleteRecord)) throw error
      await this.#write(head, {}, (writer) => saveAccount(writer, account, { begin_after: Date.now() + settleMs }))
    }
    return 'upkeep'
  }

  async #goBack(head: Head, state: AccountState): Promise<'upkeep'> {
    const { account, reading_below: below, began_at: beganAt } = state
    const { records, from } = await recordsBefore(this.#storage.heavy, account, below)
    const { steps, ...read } = await stepsOf(records)
    const [oldest] = records
    // Retention may have removed the beginning of a transaction: what is left of it is no step.
    const isCut = oldest !== undefined && oldest.ordinal > 0 && oldest.position === head.floor
    const incompleteTo = read.incompleteTo ?? (isCut ? (steps[0]?.position ?? 0) : 0)
    const isLast = incompleteTo > 0 || from <= Math.max(1, head.floor)
    await this.#write(
      head,
      {},
      async (writer) => {
        await expectUnmoved(writer, state)
        await foldBackward(
          writer,
          account,
          steps.filter(({ position }) => position > incompleteTo),
          below > beganAt,
        )
        await saveAccount(writer, account, {
          reading_below: isLast ? 0 : from,
          ...(oldest && { complete_from: Math.max(oldest.position ?? 0, incompleteTo) }),
        })
      },
      { bulk: records.length > manyRecords },
    )
    return 'upkeep'
  }

  /** One account after the other. What a read needs is never removed: its account is complete from the floor then. */
  async #trim(head: Head, accounts: readonly AccountState[]): Promise<'upkeep'> {
    const { floor } = head
    const known = this.#trimming?.floor === floor ? this.#trimming : { floor, done: new Set<string>() }
    const next = accounts.find(({ account, stage }) => stage === stages.complete && !known.done.has(account))
    if (!next) {
      await this.#write(head, { trimmed: floor - 1 }, async () => {})
      this.#trimming = undefined
      return 'upkeep'
    }
    const { account, complete_from: from } = next
    let place: Place | undefined
    await this.#write(head, {}, async (writer) => {
      await expectUnmoved(writer, next)
      if (from < floor) await saveAccount(writer, account, { complete_from: floor })
      place = await removeSome(writer, account, floor, known.at?.account === account ? known.at.place : start)
    })
    this.#trimming = place ? { ...known, at: { account, place } } : { floor, done: new Set([...known.done, account]) }
    return 'upkeep'
  }
}

interface Trimming {
  readonly floor: number
  readonly done: ReadonlySet<string>
  readonly at?: { readonly account: string; readonly place: Place }
}
