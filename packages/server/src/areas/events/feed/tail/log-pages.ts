import { sql } from 'kysely'
import { present } from '../../../../common/present.ts'
import {
  type CommittedReader,
  type Ends,
  type HistoryMark,
  type LogRecord,
  prepared,
  recordId,
  type Storage,
} from '../../../../storage/index.ts'
import type { Newest } from './newest.ts'

export interface Stretch {
  readonly records: readonly LogRecord[]
  /** There are no other matching records up to this position. */
  readonly through: number
  /** The id of the record there; undefined at the requested start. */
  readonly throughId: string | undefined
}

interface LogPagesParts {
  readonly reader: CommittedReader
  readonly history: Storage['history']
  /** The newest records, in memory. */
  readonly newest: Newest
  /** The current end of the log. */
  end(): Promise<Ends>
}

/** Pages of the log: from memory if they are among the newest records, otherwise from the database. */
export function logPages({ reader, history, newest, end }: LogPagesParts) {
  /** Records read here may be sent to clients, so they are noted as known to the history. */
  const noting = async (reading: Promise<LogRecord[]>): Promise<LogRecord[]> => {
    const era = history.era
    const records = await reading
    if (era === history.era) history.saw(records.at(-1))
    return records
  }
  const readAll = (after: number, limit: number) => noting(selectAfter(reader, { after, limit }))

  return {
    readAll,

    async read(account: string | undefined, after: number, limit: number): Promise<readonly LogRecord[]> {
      if (!newest.follows(after)) {
        return account === undefined ? readAll(after, limit) : noting(readOfAccount(reader, { account, after, limit }))
      }
      const records = newest.since(after)
      return (account === undefined ? records : records.filter((each) => each.account === account)).slice(0, limit)
    },

    async readOf(
      account: string,
      objects: readonly string[] | undefined,
      after: number,
      limit: number,
    ): Promise<Stretch> {
      if (newest.follows(after)) {
        const { through } = newest
        const isAbout = (each: LogRecord) => each.account === account && (objects?.includes(each.object_id) ?? true)
        return stretch(newest.since(after).filter(isAbout), limit, through)
      }
      if (!objects) {
        // A page of all accounts, which may contain few records of this one.
        const page = await readAll(after, limit)
        const last = page.at(-1)
        return {
          records: page.filter((each) => each.account === account),
          through: last?.position ?? after,
          throughId: last && recordId(last),
        }
      }
      // The same end for all statements, since each sees the log at a different time.
      const through = await end()
      const within = { account, after, through: through.position, limit }
      const pages = await Promise.all(objects.map((object) => readOfObject(reader, { ...within, object })))
      const found = stretch(pages.flat().sort(byPosition), limit, through)
      return found.through > after ? found : { ...found, through: after, throughId: undefined }
    },
  }
}

/** A full page may be followed by more; otherwise everything up to `through` has been read. */
const stretch = (found: readonly LogRecord[], limit: number, through: HistoryMark): Stretch => {
  const records = found.slice(0, limit)
  const last = records.at(-1)
  return found.length < limit || !last
    ? { records, through: through.position, throughId: through.id }
    : { records, through: present(last.position), throughId: recordId(last) }
}

const byPosition = (a: LogRecord, b: LogRecord) => present(a.position) - present(b.position)

// Positions are assigned and the head is moved in one transaction, so a reader that sees a position sees all below it.
const selectAfter = prepared((reader, { after, limit }: { after: number; limit: number }) =>
  reader.selectFrom('log').selectAll().where('position', '>', after).orderBy('position').limit(limit),
)

const readOfAccount = prepared((reader, values: { account: string; after: number; limit: number }) =>
  reader
    .selectFrom('log')
    .selectAll()
    .where('account', '=', values.account)
    .where('position', '>', values.after)
    .orderBy('position')
    .limit(values.limit),
)

interface OfObject {
  readonly account: string
  readonly object: string
  readonly after: number
  readonly through: number
  readonly limit: number
}

/** An expression that matches only the index on objects, so that the planner cannot use the primary key. */
export const place = sql<number>`position + 0`

const readOfObject = prepared((reader, { account, object, after, through, limit }: OfObject) =>
  reader
    .selectFrom('log')
    .selectAll()
    .where('account', '=', account)
    .where('object_id', '=', object)
    .where(place, '>', after)
    .where(place, '<=', through)
    .orderBy(place)
    .limit(limit),
)
