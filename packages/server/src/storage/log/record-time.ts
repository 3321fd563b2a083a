import { type Expression, sql } from 'kysely'
import type { Writer } from '../handles.ts'

/** The time of a record from a clock that is further ahead than this is not carried over to later records. */
const maxClockSkewMs = 60_000

/**
 * The time of a record with a single writer: the change's own time, or that of the previous record if it is later, so that times are in
 * the order of positions. A change reads the clock before it waits for its turn, and clocks can be set back.
 */
export const notBefore = (earlier: Expression<number>, own: Expression<number>) =>
  sql<number>`CASE WHEN ${earlier} > ${own} AND ${earlier} <= ${own} + ${sql.lit(maxClockSkewMs)} THEN ${earlier} ELSE ${own} END`

/**
 * With many writers: the database's clock when the ticket is drawn, one clock for all processes. It is not adjusted afterwards, because
 * that would need the privilege to update the log.
 */
export const databaseClock = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

export async function readDatabaseTime(writer: Writer): Promise<number> {
  const { now } = await writer.selectNoFrom(databaseClock.as('now')).executeTakeFirstOrThrow()
  return Number(now)
}
