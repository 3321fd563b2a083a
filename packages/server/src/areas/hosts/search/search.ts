import { sql } from 'kysely'
import { everything, needsMatching } from '../../../condition/condition.ts'
import type { Narrowing } from '../../../condition/narrow.ts'
import { searchByPattern } from '../../../matching/index.ts'
import { bounding, prepared, type Reader, type Storage } from '../../../storage/index.ts'
import { type Host, hostColumns } from '../rows.ts'
import { type Explain, plainly } from './explain.ts'
import { namesHosts } from './finders.ts'
import type { IdSet } from './matches/id-set.ts'
import { readMatchingPage } from './matches/matches.ts'
import { type HostsFound, matchHosts, matchingHosts, siftHosts } from './patterns.ts'
import type { HostPlan } from './plan.ts'
import type { Paging, SearchReaders } from './request.ts'
import { countOf, filtered, leading, pageOf, type ResolvedSearch } from './statements.ts'

/** Up to so many candidates are read on the event loop; a thread costs 75 microseconds. */
const few = 1_000

/** A page of hosts and the number of all matches. */
export async function searchHosts(
  storage: Storage,
  plan: HostPlan,
  paging: Paging,
  run?: Explain,
): Promise<HostsFound> {
  const { asked } = plan
  if (!asked) return { count: 0, hosts: [] }
  const isPattern = needsMatching(asked.condition)
  // Explanations need the statements that find hosts. Associations change without a record of a host, by which cached matches are kept current.
  const isCached = !run && asked.where.associated.length === 0 && !namesHosts(asked.condition, few)
  const find = async () => (isCached ? findCachedHosts(storage, { ...plan, asked }, paging) : undefined)
  const match = async () => matchHosts(storage, asked, await plan.narrowing(), paging, run ?? plainly)
  if (isPattern) return searchByPattern(async () => (await find()) ?? match())
  return (await find()) ?? readPage(storage, asked, await plan.narrowing(), paging, run)
}

/** One statement for the page and one for the count. */
async function readPage(
  storage: Storage,
  asked: ResolvedSearch,
  narrowing: Narrowing | undefined,
  paging: Paging,
  run: Explain = plainly,
): Promise<HostsFound> {
  const atMost = narrowing?.atMost
  const reader = atMost !== undefined && atMost <= few ? storage.read : storage.heavy
  const [hosts, [counted]] = await Promise.all([
    run('page', pageOf(reader, asked, leading(narrowing), paging)),
    run('count', countOf(reader, asked, narrowing)),
  ])
  return { count: counted?.count ?? 0, hosts }
}

/** Ordered by id, the page is read by its ids. For another order SQL sorts the matching hosts, given by their ids if they are few. */
async function findCachedHosts(
  storage: Storage,
  plan: HostPlan & { readonly asked: ResolvedSearch },
  paging: Paging,
): Promise<HostsFound | undefined> {
  const { start, limit, after } = paging
  const { asked } = plan
  const isById = asked.search.order.length === 0
  const pick = (ids: IdSet) => (after === undefined ? ids.slice(start, limit) : ids.after(after, limit))
  const found = await readMatchingPage(storage, plan, isById ? pick : () => [])
  if (!found) return undefined
  const { ids, hosts } = found
  if (isById && hosts) return { count: ids.size, hosts }
  if (start >= ids.size) return { count: ids.size, hosts: [] }
  const isPattern = needsMatching(asked.condition)
  const reader = ids.size <= few ? storage.read : storage.heavy
  const lead = ids.size <= few || isPattern ? listed(reader, ids.slice(0, ids.size)) : leading(await plan.narrowing())
  const rest = isPattern ? { ...asked, condition: everything } : asked
  return { count: ids.size, hosts: await pageOf(reader, rest, lead, paging).execute() }
}

/** Hosts given by their public ids. */
function listed({ dialect }: Reader, hostIds: readonly number[]): Narrowing {
  const ids = sql`SELECT known.id FROM host AS known WHERE ${dialect.among(sql.ref('known.host_id'), hostIds, 'integer')}`
  return { atMost: hostIds.length, ids: dialect.foundFirst(ids) }
}

/** Ids per batch. */
const idsAtOnce = 100_000

/** The public ids of all matching hosts. */
export async function findHostIds({ heavy }: SearchReaders, plan: HostPlan): Promise<number[]> {
  const { asked } = plan
  if (!asked) return []
  const narrowing = await plan.narrowing()
  if (needsMatching(asked.condition)) {
    return (await matchingHosts(heavy, asked, narrowing, plainly)).map((each) => each.host_id)
  }
  const ids: number[] = []
  for (let full = true; full; ) {
    const rows = await filtered(heavy, asked, leading(narrowing))
      .select('host.host_id')
      .where('host.host_id', '>', ids.at(-1) ?? 0)
      .orderBy('host.host_id')
      .limit(bounding(idsAtOnce))
      .execute()
    for (const row of rows) ids.push(row.host_id)
    full = rows.length === idsAtOnce
  }
  return ids
}

/** Those of the given hosts that match: read by their ids, not by another index. */
export async function hostsAmong(reader: Reader, { asked }: HostPlan, hostIds: readonly number[]): Promise<Host[]> {
  if (!asked || hostIds.length === 0) return []
  const hosts = await filtered(reader, asked, undefined)
    .select(hostColumns)
    .where((eb) => reader.dialect.among(eb.ref('host.host_id'), hostIds, 'integer'))
    .orderBy('host.host_id')
    .execute()
  return needsMatching(asked.condition) ? siftHosts(asked, hosts) : hosts
}

/** Hosts per batch for readers of all hosts: no more than can be rendered without delaying other requests. */
const atATime = 200

/** All matching hosts, page by page and without a count. Ordered by id: the plan must have no other order. */
export async function* walkHosts({ heavy }: Storage, plan: HostPlan): AsyncGenerator<Host[]> {
  const { asked } = plan
  if (!asked) return
  const lead = leading(await plan.narrowing())
  const pageAfter = prepared((reader, { after, limit }: { after: number; limit: number }) =>
    pageOf(reader, asked, lead, { start: 0, limit, after }),
  )
  for (let after = 0, full = true; full; ) {
    const candidates = await pageAfter(heavy, { after, limit: atATime })
    yield needsMatching(asked.condition) ? await siftHosts(asked, candidates) : candidates
    full = candidates.length === atATime
    after = candidates.at(-1)?.host_id ?? after
  }
}
