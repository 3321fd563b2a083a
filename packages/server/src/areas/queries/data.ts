import type { DataOf, queries } from '@mainline/contract'
import type { Snapshot, Storage } from '../../platform/storage/index.ts'
import {
  explaining,
  fieldsToShow,
  type Host,
  type HostQuery,
  type Neighbours,
  neighboursOf,
  searchHosts,
  showHost,
} from '../hosts/index.ts'
import { type Model, objectOf, type Showing } from '../model/index.ts'
import { type Business, type Node, show } from '../topology/index.ts'
import type { Info } from './info.ts'

export interface Run {
  readonly account: string
  readonly model: Model
  readonly business: Business
  readonly info: Info
  readonly start: number
  readonly limit: number
  readonly after?: number | undefined
  readonly explain: boolean
}

type Answer = DataOf<typeof queries.runQuery>
type Row = Answer['info'][number]

/** Runs a query inside one business, whatever it says of others: one row per host. */
export async function runQuery(storage: Storage, run: Run, showing: Showing): Promise<Answer> {
  const { account, model, business, info, start, limit, after } = run
  const told = run.explain ? explaining(storage.read.dialect) : undefined
  const { count, hosts } = await searchHosts(
    storage,
    { account, model, business: business.node, query: info.query, order: info.order, start, limit, after },
    told?.run,
  )
  const around = await neighboursOf(storage.read, hosts, (kind) => info.query.fields.has(kind))
  return {
    count,
    info: hosts.map((host) => showRow(model, info.query, host, around, showing)),
    ...(told && { explain: { statements: told.statements } }),
  }
}

function showRow(model: Model, query: HostQuery, host: Host, around: Neighbours, showing: Showing): Row {
  const nodes = (kind: 'biz' | 'set' | 'module', found: readonly Node[]): Snapshot => {
    if (!query.fields.has(kind)) return {}
    const wanted = fieldsToShow(query, kind)
    return joined(found.map((node) => show(objectOf(model, kind), node, showing, wanted)))
  }
  const business = around.businesses.get(host.business)
  return {
    biz: nodes('biz', business ? [business] : []),
    set: nodes('set', around.sets.get(host.id) ?? []),
    module: nodes('module', around.modules.get(host.id) ?? []),
    host: query.fields.has('host') ? showHost(objectOf(model, 'host'), host, showing, fieldsToShow(query, 'host')) : {},
  }
}

/** One instance as it is; of several, each attribute holds one value per instance, so that ids and names line up. */
function joined(records: readonly Snapshot[]): Snapshot {
  const [first, second] = records
  if (!first || !second) return first ?? {}
  return Object.fromEntries(
    Object.keys(first).map((name) => [name, records.map((record) => record[name] ?? '').join(',')]),
  )
}
