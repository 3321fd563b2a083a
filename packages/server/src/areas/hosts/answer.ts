import { type BodyOf, type DataOf, defaultLimit, type hosts, Problem, problem, rule } from '@mainline/contract'
import type { Condition } from '../../platform/condition/condition.ts'
import { readSort } from '../../platform/condition/sort.ts'
import type { Caller } from '../../platform/http/route.ts'
import type { Reader, Storage } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { type Model, modelOf, nameField, objectOf, type Showing } from '../model/index.ts'
import { findBusiness, idField, type Node, show } from '../topology/index.ts'
import { addressCondition } from './by-address.ts'
import { hostFields } from './fields.ts'
import { type Neighbours, neighboursOf } from './neighbours.ts'
import { type HostQuery, type Kind, kinds, readHostQuery } from './query.ts'
import { showHost } from './record.ts'
import type { Host } from './rows.ts'
import { planSearch, searchHosts } from './search.ts'

type Body = BodyOf<typeof hosts.searchHosts>
type Row = DataOf<typeof hosts.searchHosts>['info'][number]

/** The search of hosts as consoles and scripts ask for it: an address block, filters by kind, a page. */
export async function answerSearch(storage: Storage, { account, language }: Caller, body: Body, zone: Zone) {
  const { read } = storage
  const model = await modelOf(read, account)
  const query = withAddresses(
    readHostQuery(body.condition ?? [], { model, zone, path: 'condition', kinds, strict: false }),
    addressCondition(body.ip ?? {}),
  )
  const { start = 0, limit = defaultLimit, sort, after } = body.page ?? {}
  const order = readSort(sort, hostFields(objectOf(model, 'host')))
  if (after !== undefined && order.length > 0) throw problem('invalid', { field: 'page.after', rule: rule('onlyById') })
  const bizId = readBusiness(body.bk_biz_id)
  const business = bizId === undefined ? undefined : await businessCalled(read, account, bizId)
  const plan = await planSearch(storage, { account, model, business, query, order })
  const found = await searchHosts(storage, plan, { start, limit, after })
  const around = await neighboursOf(read, found.hosts, () => true)
  return {
    count: found.count,
    info: found.hosts.map((host) => rowOf(model, query, host, around, { language, zone })),
  }
}

const withAddresses = (query: HostQuery, addresses: Condition | undefined): HostQuery =>
  addresses
    ? { ...query, conditions: { ...query.conditions, host: { all: [addresses, query.conditions.host] } } }
    : query

/** Here the body names it, so that it is a value that does not exist. */
async function businessCalled(reader: Reader, account: string, bizId: number): Promise<number> {
  try {
    return (await findBusiness(reader, account, bizId)).node
  } catch (error) {
    throw error instanceof Problem && error.kind === 'notFound' ? problem('unknown', { field: 'bk_biz_id' }) : error
  }
}

/** Consoles send 0 or -1 for "of all businesses". */
function readBusiness(sent: unknown): number | undefined {
  if (sent === undefined || sent === null || sent === '') return undefined
  const id = Number(sent)
  if (!Number.isSafeInteger(id)) throw problem('notInteger', { field: 'bk_biz_id' })
  return id <= 0 ? undefined : id
}

function rowOf(model: Model, query: HostQuery, host: Host, around: Neighbours, showing: Showing): Row {
  const shown = (node: Node) =>
    show(objectOf(model, node.object_id), node, showing, fieldsToShow(query, node.object_id as Kind))
  const business = around.businesses.get(host.business)
  const sets = around.sets.get(host.id) ?? []
  const modules = around.modules.get(host.id) ?? []
  const nameOf = (node: Node | undefined) => {
    const field = nameField(node?.object_id ?? '')
    return node ? show(objectOf(model, node.object_id), node, showing, [field])[field] : ''
  }
  return {
    host: showHost(objectOf(model, 'host'), host, showing, fieldsToShow(query, 'host')),
    biz: business ? [shown(business)] : [],
    set: sets.map(shown),
    module: modules.map((module) => {
      const path = [business, sets.find((set) => set.inst_id === module.parent_id), module]
      return { ...shown(module), TopModuleName: path.map(nameOf).join('##') }
    }),
  }
}

/** The fields to show of a kind, its id always among them; all of them when none are named. */
export function fieldsToShow(query: HostQuery, kind: Kind): readonly string[] {
  const fields = query.fields.get(kind) ?? []
  return fields.length === 0 ? [] : [...new Set([kind === 'host' ? 'bk_host_id' : idField(kind), ...fields])]
}
