import { type BodyOf, type DataOf, defaultLimit, type hosts, Problem, problem, rule } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import type { Condition } from '../../../condition/condition.ts'
import { readSort } from '../../../condition/sort.ts'
import type { Caller } from '../../../http/route.ts'
import type { Reader, Storage } from '../../../storage/index.ts'
import { type Model, modelOf, nameField, objectOf, type Showing } from '../../model/index.ts'
import { findBusiness, idField, levelsAbove, type Node, showNode } from '../../topology/index.ts'
import { hostFields } from '../fields.ts'
import { showHost } from '../record.ts'
import type { Host } from '../rows.ts'
import { addressCondition } from './by-address.ts'
import { type Neighbours, neighboursOf } from './neighbours.ts'
import { planSearch } from './plan.ts'
import { type HostQuery, type Kind, kinds, readHostQuery } from './query.ts'
import { searchHosts } from './search.ts'

type Body = BodyOf<typeof hosts.searchHosts>
type Row = DataOf<typeof hosts.searchHosts>['info'][number]

/** The host search for consoles and scripts: an address block, filters by kind, a page. */
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
  const above = query.fields.get('module')?.includes(pathField) ? await levelsAboveSets(read, around) : undefined
  return {
    count: found.count,
    info: rowsOf(model, query, found.hosts, { ...around, above }, { language, zone }),
  }
}

/** A field of modules that is only shown if it is asked for. */
const pathField = 'bk_path'

const levelsAboveSets = (reader: Reader, { sets }: Neighbours) =>
  levelsAbove(
    reader,
    [...sets.values()].flat().map((set) => set.id),
  )

interface WithLevels extends Neighbours {
  /** The levels above each set, if paths are shown. */
  readonly above: ReadonlyMap<number, readonly Node[]> | undefined
}

const withAddresses = (query: HostQuery, addresses: Condition | undefined): HostQuery =>
  addresses
    ? { ...query, conditions: { ...query.conditions, host: { all: [addresses, query.conditions.host] } } }
    : query

/** In this request the body names the business, so an unknown one is an invalid value. */
async function businessCalled(reader: Reader, account: string, bizId: number): Promise<number> {
  try {
    return (await findBusiness(reader, account, bizId)).node
  } catch (error) {
    throw error instanceof Problem && error.kind === 'notFound' ? problem('unknown', { field: 'bk_biz_id' }) : error
  }
}

/** Consoles send 0 or -1 for all businesses. */
function readBusiness(sent: unknown): number | undefined {
  if (sent === undefined || sent === null || sent === '') return undefined
  const id = Number(sent)
  if (!Number.isSafeInteger(id)) throw problem('notInteger', { field: 'bk_biz_id' })
  return id <= 0 ? undefined : id
}

/** Hosts of a page share most of their sets, modules and businesses, so each of these is rendered once. */
function rowsOf(model: Model, query: HostQuery, hosts: readonly Host[], around: WithLevels, showing: Showing): Row[] {
  const shown = oncePerNode((node) =>
    showNode(objectOf(model, node.object_id), node, showing, fieldsToShow(query, node.object_id as Kind)),
  )
  const nameOf = oncePerNode((node) => {
    const field = nameField(node.object_id)
    return showNode(objectOf(model, node.object_id), node, showing, [field])[field]
  })
  return hosts.map((host) => {
    const business = around.businesses.get(host.business)
    const sets = around.sets.get(host.id) ?? []
    const modules = around.modules.get(host.id) ?? []
    return {
      host: showHost(objectOf(model, 'host'), host, showing, fieldsToShow(query, 'host')),
      biz: business ? [shown(business)] : [],
      set: sets.map(shown),
      module: modules.map((module) => {
        const set = sets.find((each) => each.inst_id === module.parent_id)
        const path = [business, set, module]
        const names = [...(around.above?.get(set?.id ?? 0) ?? []), ...(set ? [set] : []), module].map(nameOf)
        return {
          ...shown(module),
          TopModuleName: path.map((node) => (node ? nameOf(node) : '')).join('##'),
          ...(around.above && { [pathField]: names.join('##') }),
        }
      }),
    }
  })
}

function oncePerNode<T>(show: (node: Node) => T): (node: Node) => T {
  const known = new Map<number, T>()
  return (node) => {
    const found = known.get(node.id)
    if (found !== undefined) return found
    const made = show(node)
    known.set(node.id, made)
    return made
  }
}

/** The fields of a kind to show, always with its id; all fields if none are named. */
export function fieldsToShow(query: HostQuery, kind: Kind): readonly string[] {
  const fields = query.fields.get(kind) ?? []
  return fields.length === 0 ? [] : [...new Set([kind === 'host' ? 'bk_host_id' : idField(kind), ...fields])]
}
