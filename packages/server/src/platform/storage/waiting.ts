// A turn for a change that must be alone in its account, where others share: see docs/decisions/0017-a-turn-for-the-model.md.
import { setTimeout as pause } from 'node:timers/promises'
import { problem } from '@mainline/contract'
import { sql } from 'kysely'
import { uniqueId } from '../unique-id.ts'
import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import { type Reader, readerOver, type Writer, writerOver } from './handles.ts'
import { preparedChange, preparedShared } from './prepared.ts'

/** For so long a mark holds others up that nobody renews, as when its process was killed. In milliseconds, like all of these. */
const markTime = 3_000
const renewedEvery = 1_000
/** A mark that ran out so long ago is nobody's any more. */
const forgotten = 60_000

const fromNow = ({ now }: Dialect, by: number) => sql<number>`${now} + ${sql.lit(by)}`

/** Changes that wait to be alone in the account, or in one business of it. */
export const waitingIn = (reader: Reader, account: string, business = 0) =>
  reader
    .selectFrom('waiting_change')
    .select('token')
    .where('account', '=', account)
    .where('business', '=', business)
    .where('until', '>', reader.dialect.now)
    // No mark holds for longer: then the clock was set back, or another database has taken over whose clock is behind.
    .where('until', '<=', fromNow(reader.dialect, markTime))

/** A row for each of them; one without a token when there is none, and no row without the account. */
const waiting = preparedShared((reader, { account, business }: Place) =>
  reader
    .selectFrom('account')
    .leftJoin(waitingIn(reader, account, business).as('mark'), (join) => join.onTrue())
    .select('token')
    .where('name', '=', account),
)

/** Lets those go first who wait by now, and nobody who comes later: neither side can keep the other out. */
export async function letGoFirst(engine: Engine, account: string, business = 0): Promise<void> {
  const reader = readerOver(engine.reads, engine)
  // For half of its time. Something long that holds up those who wait would otherwise stop everybody.
  const deadline = performance.now() + engine.queueTime / 2
  const tokens = async () => {
    const rows = await waiting(reader, { account, business })
    if (rows.length === 0) throw problem('notFound')
    return new Set(rows.flatMap(({ token }) => token ?? []))
  }
  let ahead = await tokens()
  while (ahead.size > 0 && performance.now() < deadline) {
    await pause(10 + Math.random() * 30)
    ahead = ahead.intersection(await tokens())
  }
}

/** What is waited for: a business, or the whole account where that is 0. */
interface Place {
  readonly account: string
  readonly business: number
}

interface Marked extends Place {
  readonly token: string
}

const putMark = preparedChange((writer, { account, business, token }: Marked) => {
  const until = fromNow(writer.dialect, markTime)
  return writer
    .insertInto('waiting_change')
    .values({ account, business, token, until })
    .onConflict((at) => at.columns(['account', 'token']).doUpdateSet({ until }))
})

/** Brings back none that was removed: it would hold everybody up for nobody. */
const renewMark = preparedChange((writer, { account, token }: Marked) =>
  writer
    .updateTable('waiting_change')
    .set({ until: fromNow(writer.dialect, markTime) })
    .where('account', '=', account)
    .where('token', '=', token),
)

const removeMark = preparedChange((writer, { account, token }: Marked) =>
  writer.deleteFrom('waiting_change').where('account', '=', account).where('token', '=', token),
)

const removeMarks = preparedChange((writer, { account, token }: Marked) =>
  writer
    .deleteFrom('waiting_change')
    .where('account', '=', account)
    .where((eb) => eb.or([eb('token', '=', token), eb('until', '<', fromNow(writer.dialect, -forgotten))])),
)

/** What says that somebody waits. */
export interface Mark {
  /** Renewed until this has come, and no longer: whoever has had its turn keeps others out by its lock. */
  until<T>(turn: Promise<T>): Promise<T>
  /** In the transaction that has had its turn, so that the mark goes with its commit; and those of the dead with it. */
  remove(writer: Writer): Promise<unknown>
}

/** Marks that a change waits to be alone there, before the work; the work removes the mark, unless it fails. */
export async function withMark<T>(engine: Engine, place: Place, work: (mark: Mark) => Promise<T>): Promise<T> {
  const marked = { ...place, token: uniqueId() }
  const byItself = (statement: (writer: Writer, marked: Marked) => Promise<unknown>) =>
    engine.transact(uniqueId(), (connection) => statement(writerOver(connection, engine), marked))
  await byItself(putMark)
  let waits = true
  const renewing = setInterval(() => {
    if (waits) byItself(renewMark).catch(() => {})
  }, renewedEvery)
  try {
    return await work({
      async until(turn) {
        waits = true
        const had = await turn
        waits = false
        return had
      },
      remove: (writer) => removeMarks(writer, marked),
    })
  } catch (error) {
    // Nobody waits for this: where the database is away, the mark runs out by itself.
    byItself(removeMark).catch(() => {})
    throw error
  } finally {
    clearInterval(renewing)
  }
}
