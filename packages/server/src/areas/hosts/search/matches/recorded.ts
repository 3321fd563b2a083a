// Hosts that have changed since a stamp, from the log: every change of a host or of its placement is a record.
import { sql } from 'kysely'
import { readOwnJson } from '../../../../common/own-json.ts'
import { first } from '../../../../common/present.ts'
import { prepared, type Reader } from '../../../../storage/index.ts'
import { type Host, hostColumns } from '../../rows.ts'

/** After more records than this, all hosts are read again. */
export const maxRecords = 5_000
/** Up to so many changes of the log are applied on the event loop; a thread costs 75 microseconds. */
export const fewRecords = 50

/**
 * Identifies the state of the account's hosts: the newest numbered record about them, and the committed records without a position. Any later change
 * adds a record, and so results in another stamp. Records are identified by their transactions, since a database that has gone back draws the same
 * positions and tickets again.
 */
export interface HostStamp {
  /** `position txn_id`; `0 floor` if there is no such record: when retention removes a later one, it raises the log's floor. */
  readonly newest: string
  /** A JSON array of [txn_id, ordinal]; '' for none. */
  readonly unnumbered: string
}

export const textOf = ({ newest, unnumbered }: HostStamp): string => `${newest}|${unnumbered}`

/** The expression of the index log_by_object, so that the planner uses it. */
const position = sql<number | null>`(log.position + 0)`

/** The current stamp as one row, to be joined with the rows that it identifies: both are from one snapshot. */
export function stampNow(reader: Reader, account: unknown) {
  const about = () => reader.selectFrom('log').where(sql`log.account`, '=', account).where('log.object_id', '=', 'host')
  const newest = about()
    .where(position, '>', 0)
    .orderBy(position, 'desc')
    .limit(1)
    .select(sql<string>`log.position || ' ' || log.txn_id`.as('newest'))
  const floor = reader.selectFrom('log_head').select(sql<string>`'0 ' || floor`.as('newest'))
  const unnumbered = about()
    .where(position, 'is', null)
    .select(({ ref }) =>
      reader.dialect.arraysText([ref('log.txn_id'), ref('log.ordinal')], ref('log.ticket')).as('unnumbered'),
    )
  return sql<HostStamp>`(SELECT coalesce(${newest}, ${floor}) AS newest,
    ${reader.dialect.numbersInChange ? sql`''` : sql`coalesce(${unnumbered}, '')`} AS unnumbered)`.as('stamp')
}

/** The stamp together with these hosts. */
const readStamped = prepared((reader, { account, ids }: { account: string; ids: unknown }) =>
  reader
    .selectFrom(stampNow(reader, account))
    .leftJoin('host', (join) =>
      join
        .on('host.account', '=', sql`${account}`)
        .on(reader.dialect.amongBound(sql.ref('host.host_id'), sql`${ids}`, 'integer')),
    )
    .select(hostColumns)
    .select(['stamp.newest', 'stamp.unnumbered'])
    .orderBy('host.host_id'),
)

/** The hosts with these ids, ordered by id, and the stamp at which they were read. */
export async function readHostsWithStamp(
  reader: Reader,
  account: string,
  ids: readonly number[],
): Promise<{ hosts: Host[]; stamp: HostStamp }> {
  const rows = (await readStamped(reader, { account, ids: reader.dialect.listOf(ids) })) as (Host & HostStamp)[]
  return { hosts: rows.filter((row) => row.id !== null), stamp: first(rows) }
}

/** How many records identify a stamp. */
export const recordsIn = (stamp: HostStamp): number => 1 + unnumberedIn(stamp).length

const unnumberedIn = ({ unnumbered }: HostStamp): string[] =>
  unnumbered === '' ? [] : readOwnJson<[string, number][]>(unnumbered).map(([txn, ordinal]) => `${txn}.${ordinal}`)

export const positionIn = ({ newest }: HostStamp): number => Number.parseInt(newest, 10)

/** The hosts of the records after a stamp, and how many of the stamp's own records are there; reads at most `limit` records. */
export function changedSince(reader: Reader, account: string, stamp: HostStamp, limit: number) {
  const from = reader.dialect.number(positionIn(stamp), 'integer')
  const txn = stamp.newest.slice(stamp.newest.indexOf(' ') + 1)
  const named = sql<string>`log.txn_id || '.' || log.ordinal`
  const wasUnnumbered = reader.dialect.among(named, unnumberedIn(stamp), 'text')
  return reader
    .selectFrom(
      reader
        .selectFrom('log')
        .where('log.account', '=', account)
        .where('log.object_id', '=', 'host')
        .where((eb) => eb.or([eb(position, '>=', from), eb(position, 'is', null)]))
        .select('log.inst_id')
        .select(
          sql<number>`CASE WHEN (log.position = ${from} AND log.txn_id = ${txn}) OR ${wasUnnumbered} THEN 1 ELSE 0 END`.as(
            'is_known',
          ),
        )
        .limit(limit)
        .as('record'),
    )
    .select('record.inst_id')
    .select((eb) => [eb.fn.sum<number>('record.is_known').as('known'), eb.fn.countAll<number>().as('records')])
    .groupBy('record.inst_id')
}
