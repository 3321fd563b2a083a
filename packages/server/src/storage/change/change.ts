import { newStamp, uniqueId } from '../../common/unique-id.ts'
import type { Connection } from '../connection.ts'
import type { Engine, TransactOptions } from '../engine.ts'
import { readerOver, type Writer, writerOver } from '../handles.ts'
import { drawIds, type IdKind } from '../ids.ts'
import { append } from '../log/append.ts'
import { together } from '../together.ts'
import type { Actor } from './actor.ts'
import { type Attempt, type BusinessTurns, takingTurns, withoutTurns } from './business-turns.ts'
import { demanding, type HeldChain, inTurn, NeedsExclusive, type Turn } from './chain.ts'
import type { ChangeRecord } from './change-record.ts'
import { type AccountModel, type ModelSource, type ModelsAhead, modelsAhead } from './models-ahead.ts'

/** The only handle with which areas can write; obtaining it requires an actor. */
export interface Tx extends Writer {
  readonly actor: Actor
  readonly now: number
  /** Known once the account's lock is held; the lock statement may still be running. */
  readonly modelVersion: Promise<number>
  /**
   * Stored as the version of everything that this change touches. Random, because a counter would repeat with different content after
   * the database has been restored to an earlier state.
   */
  readonly stamp: number
  /** The model at the locked version, if known: from the cache of committed models, or read by this transaction. */
  readonly model: { known: AccountModel | undefined }
  /**
   * Requires the exclusive chain, as changes of grants do: concurrent changes are judged by the grants. If this change holds the chain
   * shared, it is rolled back and restarted with the exclusive lock.
   */
  demandExclusive(): void
  readonly turns: BusinessTurns
  /**
   * Does not wait for the answer to a statement: it is awaited together with the commit, without its own round trip, and its failure fails the
   * change. Exactly one statement, since nothing may be sent after the commit.
   */
  later(statement: Promise<unknown>): void
  /** Records the change in the log. Audit record and events are derived from it, and are committed together with the rows. */
  record(record: ChangeRecord): void
  /**
   * Writes the records made so far, so that a change of a hundred thousand instances need not keep them in memory. Only under the
   * exclusive chain, where no other change can draw a ticket in between.
   */
  flush(): Promise<void>
  drawIds(kind: IdKind, count: number): Promise<number[]>
}

interface ChangeOptions extends Pick<TransactOptions, 'bulk'> {
  /** The change leaves no record and is idempotent, so a commit with an unknown outcome is resolved by repeating it. */
  readonly repeatable?: boolean
  /** The lock on the account's chain row: shared by default, exclusive to change levels, `none` to create the account. */
  readonly chain?: HeldChain
  /** Not a change of managed data, such as signing in; allowed even after a newer release has applied a breaking migration. */
  readonly aside?: boolean
}

export type ChangeFunction = <T>(actor: Actor, work: (tx: Tx) => Promise<T>, options?: ChangeOptions) => Promise<T>

/** Runs changes: rows, audit record and events are written in one transaction. */
export function changesOf(engine: Engine, knownSchema: number, source: ModelSource): ChangeFunction {
  const models = modelsAhead(readerOver(engine.reads, engine), source)
  return <T>(actor: Actor, work: (tx: Tx) => Promise<T>, options: ChangeOptions = {}) => {
    const { account } = actor
    const { chain = 'shared' } = options
    const change: Change<T> = {
      engine,
      models,
      actor,
      work,
      txnId: uniqueId(),
      written: 0,
      later: [],
      transactionId: undefined,
    }
    const resolve = () => {
      if (change.written > 0) return 'by its record'
      return options.repeatable ? 'by repeating' : 'not'
    }
    const newest = options.aside ? Number.POSITIVE_INFINITY : knownSchema
    const attemptWith = (ahead: AccountModel | undefined, held: HeldChain, attempt: Attempt) =>
      inTurn(engine, account, held, newest, (turn) =>
        engine.transact(change.txnId, (connection) => attemptIn(connection, change, { ahead, held, turn, attempt }), {
          ...options,
          resolve,
          answered: () => allAnswered(change.later),
          transactionId: () => change.transactionId,
          sheds: true,
          lockWait: attempt.lockWait,
        }),
      )
    // Bulk and exclusive changes are not restarted to yield: they would lose too much work.
    const run = (ahead: AccountModel | undefined, held: HeldChain) =>
      options.bulk || held !== 'shared'
        ? attemptWith(ahead, held, { turns: withoutTurns, lockWait: 'full' })
        : takingTurns(engine, account, (attempt) => attemptWith(ahead, held, attempt))
    const runWith = (ahead: AccountModel | undefined) =>
      run(ahead, chain).catch((error) => {
        if (error instanceof NeedsExclusive) return run(ahead, 'exclusive')
        throw error
      })
    const begin = () => {
      if (chain === 'none') return runWith(undefined)
      const ahead = models.ahead(account)
      return ahead instanceof Promise ? ahead.then(runWith) : runWith(ahead)
    }
    return actor.idempotent ? actor.idempotent.counting(begin) : begin()
  }
}

/** A change with all of its attempts. */
interface Change<T> {
  readonly engine: Engine
  readonly models: ModelsAhead
  readonly actor: Actor
  readonly work: (tx: Tx) => Promise<T>
  readonly txnId: string
  /** The number of records of the latest attempt, by which an interrupted commit is found. */
  written: number
  /** Statements of the latest attempt that were not awaited. */
  later: Promise<unknown>[]
  /** For the latest attempt, once known: see `TransactOptions`. */
  transactionId: string | undefined
}

interface AttemptTerms {
  readonly ahead: AccountModel | undefined
  readonly held: HeldChain
  readonly turn: Turn
  readonly attempt: Attempt
}

async function attemptIn<T>(
  connection: Connection,
  change: Change<T>,
  { ahead, held, turn, attempt: { turns, mark } }: AttemptTerms,
): Promise<T> {
  const { engine, models, actor, txnId } = change
  const writer = writerOver(connection, engine)
  const model: Tx['model'] = { known: undefined }
  change.transactionId = undefined
  const entered = turn.begin(writer).then(({ modelVersion, transactionId }) => {
    change.transactionId = transactionId
    if (held !== 'none') models.saw(actor.account, modelVersion)
    if (ahead?.version === modelVersion) model.known = ahead
    return modelVersion
  })
  // The lock and the first statement of the work share a round trip; work that waits long for the lock does not start before.
  if (!engine.isShared || held !== 'shared') await entered
  const pending: ChangeRecord[] = []
  const now = Date.now()
  change.written = 0
  change.later = []
  const later = (statement: Promise<unknown>) => {
    // Handled when it is awaited; until then its failure must not count as unhandled.
    statement.catch(() => {})
    change.later.push(statement)
  }
  const write = (last?: Tx['later']) => {
    const part = pending.splice(0)
    const first = change.written
    change.written += part.length
    return append(writer, { txnId, actor, now, records: part, first }, last)
  }
  const tx: Tx = {
    ...writer,
    actor,
    now,
    modelVersion: entered,
    // One per attempt: an earlier one may have been committed, and seen, without our knowledge.
    stamp: newStamp(),
    model,
    later,
    demandExclusive: demanding(engine, held),
    turns,
    record: (what) => void pending.push(what),
    flush: () => write(),
    drawIds: (kind, count) => drawIds(engine, writer, kind, count),
  }
  const authorized = () => authorizedWork(change, tx)
  const working = actor.idempotent ? actor.idempotent.once(writer, actor, now, authorized) : authorized()
  working.catch(() => {})
  await entered
  const done = await working
  await turn.end(writer)
  await mark?.remove(writer)
  await write(later)
  return done
}

/** Under the account's lock: a change of grants needs it exclusively, so that none is committed before this change. */
async function authorizedWork<T>({ actor: { authorization }, work }: Change<T>, tx: Tx): Promise<T> {
  if (!authorization) return work(tx)
  const judging = authorization.expectAllowed(tx)
  if (authorization.isFirst) await judging
  const [, done] = await together(judging, work(tx))
  return done
}

/** In the order of sending: after a failure the following ones fail, too. */
async function allAnswered(statements: readonly Promise<unknown>[]): Promise<void> {
  for (const statement of statements) await statement
}
