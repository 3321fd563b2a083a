import { uniqueId } from '../../common/unique-id.ts'
import type { Background } from '../availability/background.ts'
import type { Connection } from '../connection.ts'
import type { Engine } from '../engine.ts'
import { type CommittedReader, type Reader, readerOver, type Writer, writerOver } from '../handles.ts'
import { type Ends, isGone, readEnds } from './ends.ts'
import { emptyHistory, type HistoryMark, Marks, recordId } from './marks.ts'
import type { Here } from './place.ts'
import { bindPlace, type Cause, insertReset, type Reset, readResets, recordReset } from './reset.ts'

/** Interval of the check whether the database has gone back, also without requests. New connections are checked in any case. */
const checkPace = { pauseMs: 1_000, idlePauseMs: 15_000 }

export interface HistoryEvents {
  /** The log has gone back to a position, or may have. Every process logs it; one of them has recorded it. */
  onHistoryReset(position: number, cause: string): void
  /** A standby has taken over without losing any record that this process knows. */
  onFailOver(): void
}

/** Thrown by a transaction that starts while the extent of a reset is still unknown. */
class Unsettled extends Error {}

/**
 * Identifies the history of the database by the newest record that this process has read. A database that has gone back, after a
 * failover to a lagging standby or because a copy was put in place, does not have that record.
 *
 *   known -(the record is gone, or the place changed)-> suspected: caches are dropped, changes wait
 *     ^                                                             | one transaction, with the head of the log locked
 *     +---- false alarm, recorded by another process, or recorded here -+
 */
export class History {
  readonly #engine: Engine
  readonly #background: Background
  readonly #events: HistoryEvents
  readonly #marks = new Marks()
  /** Resets that this process knows; any other was recorded by another process. */
  readonly #tokens = new Set<string>()
  readonly #listeners = new Set<() => void>()
  readonly #stopping = new AbortController()
  readonly #reader: CommittedReader
  #era = 0
  #suspected: Cause | undefined
  #settling: Promise<void> | undefined
  /** Whether this process has served before, so that its marks tell how far the database has gone back. */
  #hasRun = false
  #checking: Promise<void> = Promise.resolve()
  #checkedAt: number | undefined

  constructor(engine: Engine, background: Background, events: HistoryEvents) {
    this.#engine = engine
    this.#background = background
    this.#events = events
    this.#reader = readerOver(engine.reads, engine)
  }

  /** Changes whenever earlier reads may belong to a lost history. */
  get era(): number {
    return this.#era
  }

  /** The listener must drop everything cached from the log. */
  onDrop(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Notes a record that was read. */
  saw(
    record: { readonly position: number | null; readonly txn_id: string; readonly ordinal: number } | undefined,
  ): void {
    if (record && record.position !== null && !this.#suspected) {
      this.#marks.add({ position: record.position, id: recordId(record) })
    }
  }

  /** The end of the log, and the id of the record at a position. Detects that the known record is gone. */
  async look(reader: Reader, asked = 0): Promise<Ends> {
    const [era, known] = [this.#era, this.#marks.newest]
    const ends = await readEnds(reader, known.position, asked)
    if (era === this.#era && !this.#suspected) {
      if (isGone(known, ends.known, ends)) this.#suspect('records lost')
      else {
        this.#tokens.add(ends.token)
        this.#marks.add(ends)
      }
    }
    return ends
  }

  /** For transactions that store a cursor: checks inside the transaction that the log is still the same. */
  isSameLog(): (reader: Reader) => Promise<boolean> {
    const [era, known] = [this.#era, this.#marks.newest]
    return async (reader) => {
      if (era !== this.#era) return false
      const ends = await readEnds(reader, known.position, 0)
      return !isGone(known, ends.known, ends)
    }
  }

  /** Resolves once a suspected reset is decided; undefined if none is suspected. */
  settled(): Promise<void> | undefined {
    if (!this.#suspected) return undefined
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = undefined
    })
    return this.#settling
  }

  /** The engine, with changes waiting while a reset is suspected. */
  guard(engine: Engine): Engine {
    return {
      ...engine,
      transact: async (txnId, work, options) => {
        for (;;) {
          await this.settled()
          try {
            return await engine.transact(txnId, (connection) => this.#within(connection, work), options)
          } catch (error) {
            if (!(error instanceof Unsettled)) throw error
          }
        }
      },
    }
  }

  /** New connections are checked before use, so the transaction on one may be the first to detect a reset. */
  #within<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#suspected) return Promise.reject(new Unsettled())
    return work(connection)
  }

  async start(): Promise<void> {
    const resets = await readResets(this.#reader)
    for (const { token } of resets) this.#tokens.add(token)
    const latest = resets.at(-1)
    const ends = await readEnds(this.#reader, 0, 0)
    const here = await this.#engine.whereabouts.here(this.#reader)
    const remembered = this.#engine.whereabouts.remembered()
    // Written before the place is stored in the database: a process killed in between must not be taken for a copy.
    if (!remembered) await this.#engine.whereabouts.remember(emptyHistory)
    if (remembered && ends.position > 0) {
      this.#marks.restart(remembered)
      await this.look(this.#reader)
    } else this.#marks.restart(ends)
    if (!this.#suspected && isElsewhere(latest, here)) this.#suspect('copied or promoted')
    await this.settled()
    if (!latest || latest.place === '') await this.#bind(here)
    this.#hasRun = true
    this.#engine.onConnect?.((connection) => this.look(readerOver(connection, this.#engine)))
    this.#checking = this.#background.repeat('checking the history', checkPace, this.#stopping.signal, () =>
      this.#check(),
    )
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#checking
    if (this.#suspected) return
    try {
      await this.look(this.#reader)
      await this.#engine.whereabouts.remember(this.#marks.newest)
    } catch (error) {
      this.#background.failed('remembering the end of the log', error)
    }
  }

  async #check(): Promise<void> {
    await this.settled()
    // Without other writers, nothing changes between commits.
    const generation = this.#engine.generation()
    if (generation !== undefined && generation === this.#checkedAt) return
    this.#checkedAt = generation
    await this.look(this.#reader)
    const latest = (await readResets(this.#reader)).at(-1)
    const here = await this.#engine.whereabouts.here(this.#reader)
    if (this.#suspected || !latest || !here) return
    if (isElsewhere(latest, here) && latest.synchronous === 0) this.#suspect('copied or promoted')
    else if (latest.place !== here.place || latest.synchronous !== Number(here.synchronous)) {
      // Synchronous replication: confirmed commits survived, and the known record exists.
      if (isElsewhere(latest, here)) this.#events.onFailOver()
      await this.#bind(here)
    }
    if (!this.#suspected) await this.#engine.whereabouts.remember(this.#marks.newest)
  }

  #suspect(cause: Cause): void {
    this.#suspected = cause
    this.#drop()
    this.settled()?.catch((error) => this.#background.failed('finding out how far the database has gone back', error))
  }

  #drop(): void {
    this.#era++
    this.#engine.cache.clear()
    this.#engine.idBlocks?.drop()
    for (const listener of this.#listeners) listener()
  }

  async #bind(here: Here | undefined): Promise<void> {
    if (!here) return
    await this.#transact(async (writer) => {
      await holdHead(writer)
      const latest = (await readResets(writer)).at(-1)
      if (latest) await bindPlace(writer, latest, here)
      else this.#tokens.add(await insertReset(writer, { position: 0, cause: 'begun', here, now: Date.now() }))
    })
  }

  async #settle(): Promise<void> {
    const here = await this.#engine.whereabouts.here(this.#reader)
    const { reset, kept, isNew } = await this.#transact((writer) => this.#judge(writer, here))
    for (const each of reset ? [reset] : []) this.#tokens.add(each.token)
    this.#marks.restart(kept)
    this.#suspected = undefined
    // Dropped again, since reads in between may belong to either history; waiting transactions can find the reset now.
    this.#drop()
    if (reset && isNew) this.#events.onHistoryReset(reset.position, reset.cause)
  }

  /** Runs with the head of the log locked: one process records the reset, the others find it. */
  async #judge(
    writer: Writer,
    here: Here | undefined,
  ): Promise<{ reset?: Pick<Reset, 'token' | 'position' | 'cause'>; kept: HistoryMark; isNew: boolean }> {
    const head = await holdHead(writer)
    const kept = await newestKept(writer, this.#marks.all, head)
    const latest = (await readResets(writer)).at(-1)
    if (latest && !this.#tokens.has(latest.token)) return { reset: latest, kept, isNew: true }
    const isLost = kept !== this.#marks.newest
    if (!isLost && !isElsewhere(latest, here)) return { kept, isNew: false }
    const cause = isLost ? 'records lost' : 'copied or promoted'
    const position = this.#hasRun ? kept.position : head.position
    const known = here ?? (latest && { place: latest.place, synchronous: latest.synchronous === 1 })
    const token = await recordReset(writer, { position, cause, here: known, now: Date.now() })
    return { reset: { token, position, cause }, kept, isNew: true }
  }

  #transact<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.#engine.transact(uniqueId(), (connection) => work(writerOver(connection, this.#engine)))
  }
}

const isElsewhere = (latest: Reset | undefined, here: Here | undefined): boolean =>
  latest !== undefined && latest.place !== '' && here !== undefined && here.place !== latest.place

interface Head {
  readonly position: number
  readonly floor: number
}

const holdHead = (writer: Writer): Promise<Head> =>
  writer
    .selectFrom('log_head')
    .select(['position', 'floor'])
    .$if(writer.dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirstOrThrow()

/** The newest mark whose record still exists. */
async function newestKept(writer: Writer, marks: readonly HistoryMark[], head: Head): Promise<HistoryMark> {
  const positions = marks.map(({ position }) => position)
  const rows = await writer
    .selectFrom('log')
    .select(['position', 'txn_id', 'ordinal'])
    .where((eb) => writer.dialect.among(eb.ref('position'), positions, 'integer'))
    .execute()
  const there = new Map(rows.map((row) => [row.position, recordId(row)]))
  const isKept = ({ position, id }: HistoryMark) =>
    position <= head.position && (position < head.floor || (there.get(position) ?? '') === id)
  return marks.findLast(isKept) ?? emptyHistory
}
