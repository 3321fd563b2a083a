import { type DataOf, problem, type queries, rule } from '@mainline/contract'
import { cached, isCommitted, type Snapshot, type Storage } from '../../../storage/index.ts'
import {
  explaining,
  fieldsToShow,
  type Host,
  type HostPlan,
  type HostQuery,
  type Neighbours,
  neighboursOf,
  type Paging,
  planSearch,
  type SearchReaders,
  searchHosts,
  showHost,
} from '../../hosts/index.ts'
import { type Model, objectOf, type Showing } from '../../model/index.ts'
import { type Business, type Node, showNode } from '../../topology/index.ts'
import { type Info, objectsBehind, type QueryReading, readInfo } from './info.ts'

/** A query and the business it is run in. */
interface QueryRun {
  readonly account: string
  readonly model: Model
  readonly reading: QueryReading
  readonly business: Business
  /** The query's `info`. */
  readonly text: string
}

export interface Run extends QueryRun {
  readonly paging: Paging
  readonly explain: boolean
}

type Answer = DataOf<typeof queries.runQuery>
type Row = Answer['info'][number]

/** An answer, and the objects whose instances have decided it. */
export interface QueryAnswer {
  readonly answer: Answer
  readonly behind: readonly string[]
}

/** Runs a query inside one business, whatever businesses its definition names: one row per host. */
export async function runQuery(storage: Storage, run: Run, showing: Showing): Promise<QueryAnswer> {
  const { model, paging } = run
  const { info, plan } = await planned(storage, run)
  if (paging.after !== undefined && info.order.length > 0) {
    throw problem('invalid', { field: 'after', rule: rule('onlyById') })
  }
  const told = run.explain ? explaining(storage.read.dialect) : undefined
  const { count, hosts } = await searchHosts(storage, plan, paging, told?.run)
  const around = await neighboursOf(storage.read, hosts, (kind) => info.query.fields.has(kind))
  const answer = {
    count,
    info: hosts.map((host) => showRow(model, info.query, host, around, showing)),
    ...(told && { explain: { statements: told.statements } }),
  }
  return { answer, behind: objectsBehind(info.query) }
}

interface Planned {
  readonly info: Info
  readonly plan: HostPlan
  readonly weight: number
}

/** Plans only affect speed, and the best index changes slowly. */
const maxPlanAgeMs = 10_000

/** The parsed query and its plan, cached under the versions they were made for. */
export async function planned(looking: SearchReaders, asking: QueryRun): Promise<Planned> {
  const { read } = looking
  if (!isCommitted(read)) return planOf(looking, asking)
  const { version, modelVersion, node } = asking.business
  const stamp = [version, modelVersion, Math.floor(performance.now() / maxPlanAgeMs)].join(' ')
  const known = await cached(read, `plan in ${node}: ${asking.text}`, stamp, () => planOf(looking, asking))
  // A change of an associated instance changes neither version.
  return known.info.query.associated.length === 0 ? known : replanned(looking, asking, known.info)
}

async function planOf(looking: SearchReaders, asking: QueryRun): Promise<Planned> {
  const { model, reading, text } = asking
  return replanned(looking, asking, await readInfo(looking.read, text, model, reading))
}

async function replanned(looking: SearchReaders, { account, model, business, text }: QueryRun, info: Info) {
  const plan = await planSearch(looking, { account, model, business: business.node, ...info })
  return { info, plan, weight: plan.weight + text.length }
}

function showRow(model: Model, query: HostQuery, host: Host, around: Neighbours, showing: Showing): Row {
  const shown = showHostInPlace(model, query, host, around, showing)
  return { biz: joined(shown.biz), set: joined(shown.set), module: joined(shown.module), host: shown.host }
}

/** A host with its sets, modules and business, each with the attributes that the query shows. */
export interface HostInPlace {
  readonly biz: readonly Snapshot[]
  readonly set: readonly Snapshot[]
  readonly module: readonly Snapshot[]
  readonly host: Snapshot
}

export function showHostInPlace(
  model: Model,
  query: HostQuery,
  host: Host,
  around: Neighbours,
  showing: Showing,
): HostInPlace {
  const nodes = (kind: 'biz' | 'set' | 'module', found: readonly Node[]): Snapshot[] => {
    if (!query.fields.has(kind)) return []
    const wanted = fieldsToShow(query, kind)
    return found.map((node) => showNode(objectOf(model, kind), node, showing, wanted))
  }
  const business = around.businesses.get(host.business)
  return {
    biz: nodes('biz', business ? [business] : []),
    set: nodes('set', around.sets.get(host.id) ?? []),
    module: nodes('module', around.modules.get(host.id) ?? []),
    host: query.fields.has('host') ? showHost(objectOf(model, 'host'), host, showing, fieldsToShow(query, 'host')) : {},
  }
}

/** A single instance as it is. For several, each attribute is a list with one value per instance, so that ids and names line up. */
export function joined(records: readonly Snapshot[]): Snapshot {
  const [first, second] = records
  if (!first || !second) return first ?? {}
  return Object.fromEntries(
    Object.keys(first).map((name) => [name, records.map((record) => record[name] ?? '').join(',')]),
  )
}
