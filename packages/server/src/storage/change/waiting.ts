// Fair exclusive locks on PostgreSQL: a change that needs the account or a business exclusively leaves a mark, and shared changes yield to
// it. See docs/decisions/0017-a-turn-for-the-model.md.
import { setTimeout as pause } from 'node:timers/promises'
import { problem } from '@mainline/contract'
import { sql } from 'kysely'
import { uniqueId } from '../../common/unique-id.ts'
import type { Dialect } from '../dialect.ts'
import type { Engine } from '../engine.ts'
import { type Reader, readerOver, type Writer, writerOver } from '../handles.ts'
import { preparedChange, preparedShared } from '../prepared.ts'

/** A mark that is not renewed, as when its process was killed, blocks others for this long. */
const markMs = 3_000
const renewalPauseMs = 1_000
/** A mark that expired this long ago is removed by the next change. */
const staleMarkMs = 60_000

const fromNow = ({ now }: Dialect, by: number) => sql<number>`${now} + ${sql.lit(by)}`

/** Changes that wait for the exclusive lock on the account, or on one of its businesses. */
export const waitingIn = (reader: Reader, account: string, business = 0) =>
  reader
    .selectFrom('waiting_change')
    .select('token')
    .where('account', '=', account)
    .where('business', '=', business)
    .where('until', '>', reader.dialect.now)
    // A mark that ends later than possible is ignored: the clock was set back, or a standby with a slower clock took over.
    .where('until', '<=', fromNow(reader.dialect, markMs))

/** One row per waiting change; a row without a token if there is none; no row if the account does not exist. */
const waiting = preparedShared((reader, { account, business }: TurnPlace) =>
  reader
    .selectFrom('account')
    .leftJoin(waitingIn(reader, account, business).as('mark'), (join) => join.onTrue())
    .select('token')
    .where('name', '=', account),
)

/** Waits for the changes that are waiting now, not for later ones, so that neither side can starve the other. */
export async function waitForMarked(engine: Engine, account: string, business = 0): Promise<void> {
  const reader = readerOver(engine.reads, engine)
  // For half of the queue time: a long transaction that blocks the waiting change must not block all others as well.
  const deadline = performance.now() + engine.queueTimeMs / 2
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

/** The lock that is waited for: a business, or the whole account if `business` is 0. */
interface TurnPlace {
  readonly account: string
  readonly business: number
}

interface Marked extends TurnPlace {
  readonly token: string
}

const putMark = preparedChange((writer, { account, business, token }: Marked) => {
  const until = fromNow(writer.dialect, markMs)
  return writer
    .insertInto('waiting_change')
    .values({ account, business, token, until })
    .onConflict((at) => at.columns(['account', 'token']).doUpdateSet({ until }))
})

/** An update, so that a removed mark is not created again: it would block others although no change waits. */
const renewMark = preparedChange((writer, { account, token }: Marked) =>
  writer
    .updateTable('waiting_change')
    .set({ until: fromNow(writer.dialect, markMs) })
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
    .where((eb) => eb.or([eb('token', '=', token), eb('until', '<', fromNow(writer.dialect, -staleMarkMs))])),
)

/** Announces a waiting change. */
export interface TurnMark {
  /** Renews the mark until the turn has come; from then on the lock itself keeps others out. */
  until<T>(turn: Promise<T>): Promise<T>
  /** Runs in the transaction that has had its turn, so that the mark disappears with its commit; removes stale marks, too. */
  remove(writer: Writer): Promise<unknown>
}

/** Announces a change that waits for a lock already, until it has it: from then on the lock itself keeps others out. */
export function markedWhile(engine: Engine, place: TurnPlace, turn: Promise<unknown>): void {
  withMark(engine, place, async (mark) => {
    await mark.until(turn)
    await engine.transact(uniqueId(), (connection) => mark.remove(writerOver(connection, engine)))
    // Without the mark the change only waits for longer.
  }).catch(() => {})
}

/** Sets the mark before the work, which removes it; removed here if the work fails. */
export async function withMark<T>(engine: Engine, place: TurnPlace, work: (mark: TurnMark) => Promise<T>): Promise<T> {
  const marked = { ...place, token: uniqueId() }
  const byItself = (statement: (writer: Writer, marked: Marked) => Promise<unknown>) =>
    engine.transact(uniqueId(), (connection) => statement(writerOver(connection, engine), marked))
  await byItself(putMark)
  let waits = true
  const renewing = setInterval(() => {
    if (waits) byItself(renewMark).catch(() => {})
  }, renewalPauseMs)
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
    // Not awaited: if the database is unreachable, the mark expires by itself.
    byItself(removeMark).catch(() => {})
    throw error
  } finally {
    clearInterval(renewing)
  }
}
