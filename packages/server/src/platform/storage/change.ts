import type { OperationType } from '@mainline/contract'
import { problem, rule } from '@mainline/contract'
import { uniqueId } from '../unique-id.ts'
import { type Attempt, type BusinessTurns, takingTurns, withoutTurns } from './business-turns.ts'
import type { Connection } from './connection.ts'
import type { IdKind } from './dialect.ts'
import type { Engine, Resolve, TransactOptions } from './engine.ts'
import { type Reader, readerOver, type Writer, writerOver } from './handles.ts'
import { append } from './log/append.ts'
import { type AccountModel, type ModelSource, modelsAhead } from './models-ahead.ts'
import { prepared } from './prepared.ts'
import { letGoFirst, waitingIn, withMark } from './waiting.ts'

/** Who does what the service does by itself, and so nobody: a caller of that name has nothing that names it. */
export const systemUser = 'system'

/** Who asks for a change, and in which request. */
export interface Actor {
  readonly user: string
  readonly account: string
  readonly requestId: string
}

/** The only handle areas can write with; it cannot be had without naming an actor. */
export interface Tx extends Writer {
  readonly actor: Actor
  readonly now: number
  readonly modelVersion: number
  /** The model at that version, once it is known here: handed in from committed rows, or read by this transaction itself. */
  readonly model: { known: AccountModel | undefined }
  /**
   * The change must be alone in its account, as one of grants must, by which others are judged while they share the account. If it
   * shares the account itself, it is rolled back here and begins anew, alone.
   */
  demandExclusive(): void
  readonly turns: BusinessTurns
  /** Says what happened. The audit record and the events are made from it, and land with the rows or not at all. */
  record(happened: Happened): void
  /**
   * Writes what has been recorded so far, so that a change of a hundred thousand instances need not keep it all. Only under
   * an exclusive chain: there no other change can draw a ticket between.
   */
  flush(): Promise<void>
  drawIds(kind: IdKind, count: number): Promise<number[]>
}

export type Snapshot = Record<string, unknown>

export interface Happened {
  readonly operation: OperationType
  readonly object: string
  readonly instance: number
  /** The public id of the business it happened in; 0 outside any. */
  readonly business: number
  /** A fixed English phrase; translated when it is read. */
  readonly description: string
  readonly before: Snapshot | null
  readonly after: Snapshot | null
  /** What one would search for: the inner IP of a host. */
  readonly key?: string
  /** What subscribers are told. By default one event, of this instance. */
  readonly events?: readonly Emitted[]
}

/** An event; without data of its own it is about the record's instance. */
export interface Emitted {
  readonly name: string
  readonly before?: Snapshot | null
  readonly after?: Snapshot | null
}

export interface ChangeOptions extends Pick<TransactOptions, 'bulk'> {
  /** It leaves no record and comes to the same when it is done twice: that is how a cut-off commit is resolved. */
  readonly repeatable?: boolean
  /** How the account's chain is held: shared by default, exclusive to change levels, `none` to create the account. */
  readonly chain?: Held
  /** No change of the estate, such as signing in: whoever reads needs it, also beside a newer release that has upgraded the schema. */
  readonly aside?: boolean
}

type Chain = 'shared' | 'exclusive'
type Held = Chain | 'none'

export type ChangeFunction = <T>(actor: Actor, work: (tx: Tx) => Promise<T>, options?: ChangeOptions) => Promise<T>

/** Everything a change writes, its audit record and its events are one transaction. */
export function changesOf(engine: Engine, knownSchema: number, source: ModelSource): ChangeFunction {
  const models = modelsAhead(readerOver(engine.reads, engine), source)
  return (actor, work, options = {}) => {
    const { account } = actor
    const { chain = 'shared' } = options
    const txnId = uniqueId()
    let written = 0
    const resolve: Resolve = () => {
      if (written > 0) return 'by its record'
      return options.repeatable ? 'by repeating' : 'not'
    }
    const within = async (
      ahead: AccountModel | undefined,
      held: Held,
      turn: Turn,
      { turns, mark }: Attempt,
      connection: Connection,
    ) => {
      const writer = writerOver(connection, engine)
      const modelVersion = await turn.begin(writer)
      if (held !== 'none') models.saw(account, modelVersion)
      const happened: Happened[] = []
      const now = Date.now()
      written = 0
      const flush = async () => {
        const part = happened.splice(0)
        await append(writer, { txnId, actor, now, happened: part, first: written })
        written += part.length
      }
      const done = await work({
        ...writer,
        actor,
        now,
        modelVersion,
        model: { known: ahead?.version === modelVersion ? ahead : undefined },
        demandExclusive: demanding(engine, held),
        turns,
        record: (what) => void happened.push(what),
        flush,
        drawIds: (kind, count) => engine.dialect.drawIds(writer, kind, count),
      })
      await turn.end(writer)
      await mark?.remove(writer)
      await flush()
      return done
    }
    const newest = options.aside ? Number.POSITIVE_INFINITY : knownSchema
    const attempt = (ahead: AccountModel | undefined, held: Held, attempt: Attempt) =>
      inTurn(engine, account, held, newest, (turn) =>
        engine.transact(txnId, (connection) => within(ahead, held, turn, attempt, connection), {
          ...options,
          resolve,
          sheds: true,
          lockWait: attempt.lockWait,
        }),
      )
    // What changes many rows, or has the account alone, would lose too much by beginning anew.
    const run = (ahead: AccountModel | undefined, held: Held) =>
      options.bulk || held !== 'shared'
        ? attempt(ahead, held, { turns: withoutTurns, lockWait: 'full' })
        : takingTurns(engine, account, (each) => attempt(ahead, held, each))
    const runWith = (ahead: AccountModel | undefined) =>
      run(ahead, chain).catch((error) => {
        if (error instanceof NeedsExclusive) return run(ahead, 'exclusive')
        throw error
      })
    if (chain === 'none') return runWith(undefined)
    const ahead = models.ahead(account)
    return ahead instanceof Promise ? ahead.then(runWith) : runWith(ahead)
  }
}

/** Where rows are not locked, the writer is alone anyway. */
const demanding = (engine: Engine, held: Held) => () => {
  if (held === 'shared' && engine.dialect.locksRows) throw new NeedsExclusive()
}

/** Changes that are tried out, each seeing those before it; one that fails undoes only itself. In the end all are taken back. */
export interface Rehearsal {
  /** Sees what has been changed so far. */
  readonly reader: Reader
  change<T>(work: (tx: Tx) => Promise<T>, options?: { readonly chain: Chain }): Promise<T>
}

/** Holds what its changes hold until the end of all. May run again, like a change. */
export type RehearseFunction = <T>(actor: Actor, work: (rehearsal: Rehearsal) => Promise<T>) => Promise<T>

/** What came of it leaves the transaction as a failure, which is what undoes it. */
class TakenBack<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('taken back')
    this.result = result
  }
}

/** What shares the chain does not wait to have it alone, since two of those would wait for each other: it begins anew, alone. */
class NeedsExclusive extends Error {}

export function rehearsalsOf(engine: Engine, knownSchema: number): RehearseFunction {
  return async <T>(actor: Actor, work: (rehearsal: Rehearsal) => Promise<T>) => {
    const rehearse = (chain: Chain) =>
      inTurn(engine, actor.account, chain, knownSchema, (turn) => {
        const within = async (connection: Connection): Promise<never> => {
          const writer = writerOver(connection, engine)
          await turn.begin(writer)
          const hold = (asked: Chain) => {
            if (asked === 'exclusive' && chain === 'shared' && engine.dialect.locksRows) throw new NeedsExclusive()
            return holdChain(writer, actor.account, asked, knownSchema)
          }
          const rehearsal = rehearsalOver(connection, engine, actor, hold, demanding(engine, chain))
          const result = await work(rehearsal)
          rehearsal.refuseLost()
          throw new TakenBack(result)
        }
        return engine.transact(uniqueId(), within, { bulk: true, sheds: true })
      })
    try {
      return await rehearse('shared').catch((error) => {
        if (error instanceof NeedsExclusive) return rehearse('exclusive')
        throw error
      })
    } catch (error) {
      if (error instanceof TakenBack) return error.result as T
      throw error
    }
  }
}

function rehearsalOver(
  connection: Connection,
  engine: Engine,
  actor: Actor,
  hold: (chain: Chain) => Promise<number>,
  demandExclusive: () => void,
): Rehearsal & { refuseLost(): void } {
  const writer = writerOver(connection, engine)
  // Kept from one change to the next while the version is the same. A version that was rolled back is given out again.
  let model: Tx['model'] & { version: number } = { version: 0, known: undefined }
  let lost: { readonly by: unknown } | undefined
  const refuseLost = () => {
    if (lost) throw lost.by
  }
  return {
    reader: writer,
    refuseLost,
    async change(work, { chain } = { chain: 'shared' }) {
      refuseLost()
      await connection.script('SAVEPOINT rehearsed')
      try {
        const modelVersion = await hold(chain)
        if (model.version !== modelVersion) model = { version: modelVersion, known: undefined }
        const done = await work({
          ...writer,
          actor,
          now: Date.now(),
          modelVersion,
          model,
          demandExclusive,
          turns: withoutTurns,
          record: () => {},
          flush: async () => {},
          drawIds: (kind, count) => engine.dialect.drawIds(writer, kind, count),
        })
        await connection.script('RELEASE rehearsed')
        return done
      } catch (error) {
        model = { version: 0, known: undefined }
        if (error instanceof NeedsExclusive) lost = { by: error }
        try {
          await connection.script('ROLLBACK TO rehearsed; RELEASE rehearsed')
        } catch {
          // A full disk has ended the transaction: on SQLite the next savepoint would begin one that is kept.
          lost = { by: error }
        }
        throw error
      }
    },
  }
}

/** `entering` shares it, too, unless somebody waits to have it alone. */
type Hold = Chain | 'entering'

const chainStatement = (hold: Hold) =>
  prepared((reader, { account }: { account: string }) =>
    reader
      .selectFrom('account')
      .select((eb) => [
        'model_version',
        eb
          .selectFrom('migration')
          .select((inner) => inner.fn.max('number').as('newest'))
          .as('schema'),
      ])
      .where('name', '=', account)
      .$if(reader.dialect.locksRows && hold === 'entering', (query) =>
        query.where(({ not, exists }) => not(exists(waitingIn(reader, account)))),
      )
      .$if(reader.dialect.locksRows && hold !== 'exclusive', (query) => query.forShare('account'))
      .$if(reader.dialect.locksRows && hold === 'exclusive', (query) => query.forUpdate('account')),
  )
const chainStatements: Record<Hold, ReturnType<typeof chainStatement>> = {
  entering: chainStatement('entering'),
  shared: chainStatement('shared'),
  exclusive: chainStatement('exclusive'),
}

/** The account is not there, or somebody waits to have it alone. */
class NotEntered extends Error {}

/** The first statement of every change: holds the chain, and learns which model and which schema are in force. */
async function holdChain(writer: Writer, account: string, hold: Hold, knownSchema: number): Promise<number> {
  const [found] = await chainStatements[hold](writer, { account })
  if (!found && hold === 'entering' && writer.dialect.locksRows) throw new NotEntered()
  if (!found) throw problem('notFound')
  refuseNewer(found.schema ?? 0, knownSchema)
  return found.model_version
}

const schemaStatement = prepared((reader) =>
  reader.selectFrom('migration').select((eb) => eb.fn.max('number').as('schema')),
)

/** The first statement where there is no chain to hold. */
async function holdNothing(writer: Writer, knownSchema: number): Promise<number> {
  const [found] = await schemaStatement(writer, {})
  refuseNewer(found?.schema ?? 0, knownSchema)
  return 0
}

function refuseNewer(found: number, known: number): void {
  if (found > known) throw problem('notReady', { rule: rule('upgraded', { found, known }) })
}

/** A transaction's turn at the chain: its first statement, and its last but for what it tells the log. */
interface Turn {
  begin(writer: Writer): Promise<number>
  end(writer: Writer): Promise<unknown>
}

const nothing = async () => {}

/**
 * Where rows are locked, those who share one keep out whoever wants it alone, for as long as there is always one of them. So who
 * wants it alone says so first, and the others do not begin before it: they wait without a connection and without a lock.
 */
async function inTurn<T>(
  engine: Engine,
  account: string,
  chain: Held,
  knownSchema: number,
  run: (turn: Turn) => Promise<T>,
): Promise<T> {
  if (chain === 'none') return run({ begin: (writer) => holdNothing(writer, knownSchema), end: nothing })
  const holding = (hold: Hold) => (writer: Writer) => holdChain(writer, account, hold, knownSchema)
  if (chain === 'exclusive') {
    const hold = holding('exclusive')
    if (!engine.dialect.locksRows) return run({ begin: hold, end: nothing })
    return withMark(engine, { account, business: 0 }, (mark) =>
      run({ begin: (writer) => mark.until(hold(writer)), end: mark.remove }),
    )
  }
  try {
    return await run({ begin: holding('entering'), end: nothing })
  } catch (error) {
    if (!(error instanceof NotEntered)) throw error
  }
  await letGoFirst(engine, account)
  return run({ begin: holding('shared'), end: nothing })
}
