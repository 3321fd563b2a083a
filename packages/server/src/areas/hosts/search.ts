import { type Expression, type SqlBool, sql } from 'kysely'
import { compile, orderSql, type Place } from '../../platform/condition/compile.ts'
import { type Condition, everything, isEverything, needsMatching } from '../../platform/condition/condition.ts'
import { meets } from '../../platform/condition/evaluate.ts'
import { asTest, type Narrowing, narrow } from '../../platform/condition/narrow.ts'
import { sift } from '../../platform/condition/sift.ts'
import type { Order } from '../../platform/condition/sort.ts'
import { bounding, prepared, type Reader, type Storage } from '../../platform/storage/index.ts'
import { type Model, type ObjectModel, objectOf } from '../model/index.ts'
import { type Explain, plainly } from './explain.ts'
import { hostFields } from './fields.ts'
import { hostFinders } from './finders.ts'
import type { HostQuery } from './query.ts'
import { storedHostValue } from './record.ts'
import { type Host, hostColumns } from './rows.ts'
import { findWhere, type Standing, type Where } from './where.ts'

export interface HostSearch {
  readonly account: string
  readonly model: Model
  /** Only hosts of this business; otherwise all of the account's. */
  readonly business: number | undefined
  readonly query: HostQuery
  readonly order: readonly Order[]
}

export interface Paging {
  readonly start: number
  readonly limit: number
  /** In place of `start`: only hosts behind this id. */
  readonly after?: number | undefined
}

export interface HostsFound {
  count: number
  hosts: Host[]
}

/** Hosts found by value up to so many are read on the event loop; a thread costs 75 microseconds. */
const few = 1_000

/**
 * Where to look and what to ask there, so that the same question need not be thought through again. What narrows most is
 * only a matter of speed; where the hosts stand is right as long as the business and the model have the versions they had.
 */
export interface HostPlan {
  /** Undefined when no host can be meant. */
  readonly asked: Asked | undefined
  readonly narrowing: Narrowing | undefined
  readonly page: (reader: Reader, paging: { start: number; limit: number }) => Promise<Host[]>
  readonly pageAfter: (reader: Reader, paging: { after: number; limit: number }) => Promise<Host[]>
  readonly count: (reader: Reader, nothing: object) => Promise<{ count: number }[]>
  /** What remembering it takes, in bytes. */
  readonly weight: number
}

/** Where searches look: inside a change, both are the change itself. */
export interface Looking {
  readonly read: Reader
  readonly heavy: Reader
}

export async function planSearch(storage: Looking, search: HostSearch): Promise<HostPlan> {
  const where = await findWhere(storage, search)
  const host = objectOf(search.model, 'host')
  const asked: Asked | undefined =
    where === 'nowhere' ? undefined : { search, where, host, condition: search.query.conditions.host }
  const narrowing = asked && (await narrow(storage.read, hostFinders(asked, storage.read)))
  const leading = narrowing?.atMost === undefined ? undefined : narrowing
  return {
    asked,
    narrowing,
    page: prepared((reader, { start, limit }: { start: number; limit: number }) =>
      pageOf(reader, asked as Asked, leading, { start, limit }),
    ),
    pageAfter: prepared((reader, { after, limit }: { after: number; limit: number }) =>
      pageOf(reader, asked as Asked, leading, { start: 0, limit, after }),
    ),
    count: prepared((reader) => countOf(reader, asked as Asked, narrowing)),
    weight: 5_000 + 10 * (asked?.where.standing?.nodes.length ?? 0),
  }
}

/** One statement for the page and one for the count. */
export async function searchHosts(
  storage: Storage,
  plan: HostPlan,
  paging: Paging,
  run?: Explain,
): Promise<HostsFound> {
  const { asked, narrowing } = plan
  if (!asked) return { count: 0, hosts: [] }
  if (needsMatching(asked.condition)) return matchHosts(storage, asked, narrowing, paging, run ?? plainly)

  const atMost = narrowing?.atMost
  const reader = atMost !== undefined && atMost <= few ? storage.read : storage.heavy
  const { start, limit, after } = paging
  const [hosts, [counted]] = await Promise.all(
    run
      ? [
          run('page', pageOf(reader, asked, atMost === undefined ? undefined : narrowing, paging)),
          run('count', countOf(reader, asked, narrowing)),
        ]
      : [
          after === undefined ? plan.page(reader, { start, limit }) : plan.pageAfter(reader, { after, limit }),
          plan.count(reader, {}),
        ],
  )
  return { count: counted?.count ?? 0, hosts }
}

export interface Asked {
  readonly search: HostSearch
  readonly where: Where
  readonly host: ObjectModel
  readonly condition: Condition
}

/** Candidates taken at a time while patterns are tried on them. */
const atOnce = 5_000

async function matchHosts(
  { heavy }: Storage,
  asked: Asked,
  narrowing: Narrowing | undefined,
  paging: Paging,
  run: Explain,
): Promise<HostsFound> {
  const matching = (await matchingHosts(heavy, asked, narrowing, run)).map((each) => each.id)
  const { dialect } = heavy
  const ids = sql`SELECT known.id FROM host AS known WHERE ${dialect.among(sql.ref('known.id'), matching, 'integer')}`
  const known: Narrowing = { atMost: matching.length, ids: dialect.foundFirst(ids) }
  const page = pageOf(heavy, { ...asked, condition: everything }, known, paging)
  return { count: matching.length, hosts: await run('page', page) }
}

/** Patterns are matched here, on both engines by the same RE2, after SQL has narrowed the hosts by the other filters. */
async function matchingHosts(
  heavy: Reader,
  asked: Asked,
  narrowing: Narrowing | undefined,
  run: Explain,
): Promise<Pick<Host, 'id' | 'host_id'>[]> {
  const matching: Pick<Host, 'id' | 'host_id'>[] = []
  for (let last = 0, full = true; full; ) {
    const next = filtered(heavy, asked, narrowing)
      .select(hostColumns)
      .where('host.id', '>', last)
      .orderBy('host.id')
      .limit(atOnce)
    const candidates = await run('candidates', next)
    const passed = await siftHosts(asked, candidates)
    matching.push(...passed.map(({ id, host_id }) => ({ id, host_id })))
    full = candidates.length === atOnce
    last = candidates.at(-1)?.id ?? last
  }
  return matching
}

const siftHosts = ({ host, condition }: Asked, candidates: readonly Host[]): Promise<Host[]> =>
  sift(candidates, (each) => meets({ builtIn: 0, value: storedHostValue(host, each) }, condition, hostFields(host)))

/** Ids taken at a time. */
const idsAtOnce = 100_000

/** The public ids of all hosts that are asked for. */
export async function findHostIds({ heavy }: Looking, { asked, narrowing }: HostPlan): Promise<number[]> {
  if (!asked) return []
  if (needsMatching(asked.condition)) {
    return (await matchingHosts(heavy, asked, narrowing, plainly)).map((each) => each.host_id)
  }
  const leading = narrowing?.atMost === undefined ? undefined : narrowing
  const ids: number[] = []
  for (let full = true; full; ) {
    const rows = await filtered(heavy, asked, leading)
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

/** Those among these hosts that are asked for: found by their ids, whatever else would narrow the search. */
export async function hostsAmong(reader: Reader, { asked }: HostPlan, hostIds: readonly number[]): Promise<Host[]> {
  if (!asked || hostIds.length === 0) return []
  const hosts = await filtered(reader, asked, undefined)
    .select(hostColumns)
    .where((eb) => reader.dialect.among(eb.ref('host.host_id'), hostIds, 'integer'))
    .orderBy('host.host_id')
    .execute()
  return needsMatching(asked.condition) ? siftHosts(asked, hosts) : hosts
}

/** How many hosts are read at a time by those who want all of them: no more than are shown without holding up others. */
const atATime = 200

/** All hosts that match, page by page and without a count. In order of id: the plan must ask for no other. */
export async function* walkHosts({ heavy }: Storage, { asked, pageAfter }: HostPlan): AsyncGenerator<Host[]> {
  if (!asked) return
  const { host, condition } = asked
  const fields = hostFields(host)
  for (let after = 0, full = true; full; ) {
    const candidates = await pageAfter(heavy, { after, limit: atATime })
    yield needsMatching(condition)
      ? await sift(candidates, (each) => meets({ builtIn: 0, value: storedHostValue(host, each) }, condition, fields))
      : candidates
    full = candidates.length === atATime
    after = candidates.at(-1)?.host_id ?? after
  }
}

/** All hosts that are asked for; looked for among those that were found by value, if any were. */
function filtered(reader: Reader, { search, host, condition, where }: Asked, narrowing: Narrowing | undefined) {
  const { dialect } = reader
  const { account, business } = search
  const place: Place = { table: 'host', fields: hostFields(host), dialect }
  const scope =
    business === undefined ? sql<SqlBool>`host.account = ${account}` : sql<SqlBool>`host.business = ${business}`
  const among = (column: string, list: readonly number[]) => dialect.among(sql.ref(column), list, 'integer')
  const { businesses, areas, standing } = where
  return reader
    .selectFrom('host')
    .$if(narrowing !== undefined, (query) => query.where(sql<SqlBool>`host.id IN ${narrowing?.ids}`))
    .where(narrowing ? asTest(scope) : scope)
    .$if(businesses !== undefined, (query) => query.where(among('host.business', businesses ?? [])))
    .$if(areas !== undefined, (query) => query.where(among('host.cloud', areas ?? [])))
    .$if(standing !== undefined && !narrowing, (query) => query.where(stands(standing as Standing, reader)))
    .$if(!isEverything(condition), (query) => query.where(compile(condition, place)))
}

/** Whether one of the host's modules is among those asked for. */
function stands({ column, nodes }: Standing, { dialect }: Reader): Expression<SqlBool> {
  const isThere = dialect.among(sql.ref(`placement.${column}`), nodes, 'integer')
  return sql<SqlBool>`EXISTS (SELECT 1 FROM placement WHERE placement.host = host.id AND ${isThere})`
}

const countOf = (reader: Reader, asked: Asked, narrowing: Narrowing | undefined) =>
  filtered(reader, asked, narrowing).select((eb) => eb.fn.countAll<number>().as('count'))

function pageOf(reader: Reader, asked: Asked, narrowing: Narrowing | undefined, { start, limit, after }: Paging) {
  const { order } = asked.search
  const place: Place = { table: 'host', fields: hostFields(asked.host), dialect: reader.dialect }
  let query = filtered(reader, asked, narrowing)
    .select(hostColumns)
    .$if(after !== undefined, (each) => each.where('host.host_id', '>', after ?? 0))
  for (const { value, as } of orderSql(order, place)) query = query.orderBy(value, as)
  return query
    .orderBy('host.host_id')
    .limit(bounding(limit))
    .offset(bounding(after === undefined ? start : 0))
}
