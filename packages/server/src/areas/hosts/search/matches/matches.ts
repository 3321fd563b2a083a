// The ids of all hosts that meet a condition, cached per condition and brought up to date from the log.
import { sql } from 'kysely'
import { inTurns } from '../../../../common/concurrency/turns.ts'
import { readOwnJson } from '../../../../common/own-json.ts'
import { first } from '../../../../common/present.ts'
import { needsMatching } from '../../../../condition/condition.ts'
import { cached, lastCached, type Storage } from '../../../../storage/index.ts'
import type { Host } from '../../rows.ts'
import { columnsAt, HostColumns } from '../columns/host-columns.ts'
import { columnsFor, matchesIn } from '../columns/matching.ts'
import type { HostPlan } from '../plan.ts'
import { filtered, leading, type ResolvedSearch } from '../statements.ts'
import { IdSet } from './id-set.ts'
import {
  changedSince,
  fewRecords,
  type HostStamp,
  maxRecords,
  positionIn,
  readHostsWithStamp,
  recordsIn,
  stampNow,
  textOf,
} from './recorded.ts'

/** Immutable: the matches at this stamp. */
class Matches {
  readonly ids: IdSet
  readonly stamp: HostStamp
  readonly weight: number

  constructor(ids: IdSet, { newest, unnumbered }: HostStamp) {
    this.ids = ids
    this.stamp = { newest, unnumbered }
    this.weight = ids.weight + newest.length + unnumbered.length + 200
  }

  /** As they were last cached, whatever their stamp. */
  static last(storage: Storage, key: string): Matches | undefined {
    const found = lastCached(storage.read, key)
    return found instanceof Matches ? found : undefined
  }
}

/** Up to so many candidates that an index has found are tested by SQL. */
const fewCandidates = 1_000
/** From so many hosts on, few candidates are found by an index sooner than in columns. */
const manyHosts = 100_000
/** How often a page is read again because hosts changed between its ids and its rows. */
const maxAttempts = 3

/**
 * A page of the matching hosts ordered by id, and their number, both from one moment. `pick` chooses the page. No hosts if they changed faster than
 * they could be read. Undefined for patterns on values that are not kept in columns.
 */
export async function readMatchingPage(
  storage: Storage,
  plan: HostPlan & { readonly asked: ResolvedSearch },
  pick: (ids: IdSet) => number[],
): Promise<{ ids: IdSet; hosts: Host[] | undefined } | undefined> {
  const { account } = plan.asked.search
  let matches = Matches.last(storage, plan.key)
  for (let attempt = 0; ; attempt++) {
    const { hosts, stamp } = await readHostsWithStamp(storage.read, account, matches ? pick(matches.ids) : [])
    const current = await matchesAt(storage, plan, stamp)
    if (!current) return undefined
    if (current === matches) return { ids: current.ids, hosts }
    if (attempt === maxAttempts) return { ids: current.ids, hosts: undefined }
    matches = current
  }
}

/** The matches at a stamp that this request has read, or at a later one. */
function matchesAt(
  storage: Storage,
  plan: HostPlan & { readonly asked: ResolvedSearch },
  stamp: HostStamp,
): Matches | undefined | Promise<Matches | undefined> {
  const before = Matches.last(storage, plan.key)
  return cached(storage.read, plan.key, textOf(stamp), async (readAt) => {
    const found = (await fromColumns(storage, plan, stamp, before)) ?? (await fromSql(storage, plan, stamp, before))
    if (found) readAt(textOf(found.stamp))
    return found
  })
}

/**
 * From the values that are kept of all hosts. Undefined where they take too much memory, where an index finds few hosts, and where reading them first
 * would cost more than this search: because few hosts can match, or because the log says which hosts have changed since the last time.
 */
async function fromColumns(
  storage: Storage,
  { asked, narrowing, isIndexed }: HostPlan & { readonly asked: ResolvedSearch },
  stamp: HostStamp,
  before: Matches | undefined,
): Promise<Matches | undefined> {
  const isPattern = needsMatching(asked.condition)
  const names = storage.isPast ? undefined : columnsFor(asked)
  const { account } = asked.search
  const last = HostColumns.last(storage, account)
  if (!names || last?.lacks(names)) return undefined
  const known = last?.has(names) ? last : undefined
  if (!known && before && !isPattern) return undefined
  if (!known || isIndexed || known.hosts > manyHosts) {
    const { atMost = Number.POSITIVE_INFINITY } = (await narrowing()) ?? {}
    if (atMost <= fewCandidates) return undefined
  }
  const found = await columnsAt(storage, account, names, stamp)
  return found?.has(names) ? new Matches(await matchesIn(found.columns, asked), found.stamp) : undefined
}

/** Undefined for patterns, which SQL does not match. */
async function fromSql(
  storage: Storage,
  plan: HostPlan & { readonly asked: ResolvedSearch },
  stamp: HostStamp,
  before: Matches | undefined,
): Promise<Matches | undefined> {
  if (needsMatching(plan.asked.condition)) return undefined
  return (before && (await advanced(storage, plan.asked, before, stamp))) ?? load(storage, plan)
}

/**
 * One statement, so that the new set is consistent, too. Undefined if the log does not say what has changed: if records of the old stamp are
 * missing, the log has gone back, or its oldest records were removed.
 */
async function advanced(
  { read, heavy }: Storage,
  asked: ResolvedSearch,
  { ids, stamp: from }: Matches,
  to: HostStamp,
): Promise<Matches | undefined> {
  const { account } = asked.search
  const isShort = positionIn(to) - positionIn(from) <= fewRecords
  const reader = isShort ? read : heavy
  const rows = await reader
    .selectFrom(changedSince(reader, account, from, maxRecords + 1).as('changed'))
    .innerJoin(stampNow(reader, account), (join) => join.onTrue())
    .select(['changed.inst_id', 'changed.known', 'changed.records', 'stamp.newest', 'stamp.unnumbered'])
    .select((eb) =>
      eb
        .exists(
          filtered(reader, asked, undefined)
            .select(sql`1`.as('one'))
            .where('host.host_id', '=', eb.ref('changed.inst_id')),
        )
        .as('matches'),
    )
    .execute()
  const records = rows.reduce((sum, row) => sum + Number(row.records), 0)
  const known = rows.reduce((sum, row) => sum + Number(row.known), 0)
  const [row] = rows
  if (!row || records > maxRecords || known < recordsIn(from)) return undefined
  return new Matches(ids.with(rows.map((each) => [each.inst_id, Boolean(each.matches)] as const)), row)
}

/** One row per few thousand ids: transferring half a million rows would hold the event loop. */
async function load({ heavy }: Storage, plan: HostPlan & { readonly asked: ResolvedSearch }): Promise<Matches> {
  const parts = filtered(heavy, plan.asked, leading(await plan.narrowing()))
    .groupBy(sql<number>`host.host_id / 4096`)
    .select((eb) => heavy.dialect.numbersText(eb.ref('host.host_id')).as('ids'))
  const rows = await heavy
    .selectFrom(stampNow(heavy, plan.asked.search.account))
    .leftJoin(parts.as('part'), (join) => join.onTrue())
    .select(['stamp.newest', 'stamp.unnumbered', 'part.ids'])
    .execute()
  let ids = IdSet.empty
  await inTurns(rows, (row) => {
    const some = row.ids === null ? [] : readOwnJson<number[]>(row.ids)
    ids = ids.with(some.map((id) => [id, true] as const))
  })
  return new Matches(ids, first(rows))
}
