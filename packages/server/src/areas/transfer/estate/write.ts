import type { Zone } from '../../../common/time.ts'
import type { Caller } from '../../../http/route.ts'
import type { Storage } from '../../../storage/index.ts'
import { type Host, neighboursOf, planSearch, readHostQuery, showHost, walkHosts } from '../../hosts/index.ts'
import { inEnglish, modelOf, objectOf, type Showing } from '../../model/index.ts'
import { type Path, placesOf, showNode } from '../../topology/index.ts'
import { businessNames } from './business-names.ts'
import {
  attributesOfInstance,
  type EstateContext,
  lists,
  nodesWithHosts,
  queryRecords,
  type SmallKind,
} from './list.ts'
import { type AnyRecord, type RecordOf, version } from './records.ts'

const before: SmallKind[] = [
  'classification',
  'object',
  'attribute_group',
  'attribute',
  'association_kind',
  'object_association',
  'unique',
  'role',
  'instance',
  'business',
]
/** Behind saved queries. */
const after: SmallKind[] = ['group', 'subscription', 'required', 'paused']
const rowsPerRead = 500

/** All records of an account in import order; the hosts of each business follow its nodes. */
export async function* estateOf(storage: Storage, { account }: Caller, zone: Zone): AsyncGenerator<AnyRecord[]> {
  const model = await modelOf(storage.read, account)
  const showing: Showing = { language: 'en', zone }
  const place: EstateContext = { reader: storage.heavy, account, model, showing }
  yield [{ is: 'estate', version }]
  for (const kind of before) yield await recordsOf(place, kind)
  const businesses = await businessNames(place)
  const ids = businesses.map(({ node }) => node.id)
  const inhabited = await nodesWithHosts(place, ids)
  const clouds = await cloudNames(place)
  for (const { node, name } of businesses) {
    const placed = await placesOf(place.reader, node.id, { internal: true, language: 'en' })
    const own = placed.filter((each) => each.node.built_in === 0)
    for (let from = 0; from < own.length; from += rowsPerRead) {
      yield own.slice(from, from + rowsPerRead).map((each): RecordOf<'node'> => {
        const object = objectOf(model, each.node.object_id)
        const attributes = attributesOfInstance(object, showNode(object, each.node, showing))
        return { is: 'node', business: name, path: [...each.path], attributes }
      })
    }
    if (!inhabited.has(node.id)) continue
    const paths = new Map(placed.map((each) => [each.node.id, each.path]))
    yield* hostsOf(storage, place, { node: node.id, name, paths, clouds })
  }
  yield await recordsOf(place, 'association')
  yield* queryRecords(place)
  for (const kind of after) yield await recordsOf(place, kind)
}

const recordsOf = async (place: EstateContext, kind: SmallKind): Promise<AnyRecord[]> =>
  (await lists[kind](place)).map(({ record }) => record)

interface BusinessHosts {
  readonly node: number
  readonly name: string | null
  readonly paths: ReadonlyMap<number, Path>
  readonly clouds: ReadonlyMap<number, string>
}

async function* hostsOf(
  storage: Storage,
  place: EstateContext,
  { node: business, name, paths, clouds }: BusinessHosts,
): AsyncGenerator<AnyRecord[]> {
  const { account, model, showing } = place
  const query = readHostQuery([], { model, zone: showing.zone, path: 'condition', kinds: [], strict: false })
  const plan = await planSearch(storage, { account, model, business, query, order: [] })
  for await (const hosts of walkHosts(storage, plan)) yield await hostRecords(place, hosts, name, paths, clouds)
}

/** The names of cloud areas by public id. */
export async function cloudNames({
  reader,
  account,
}: Pick<EstateContext, 'reader' | 'account'>): Promise<Map<number, string>> {
  const rows = await reader
    .selectFrom('node')
    .select(['inst_id', 'name'])
    .where('account', '=', account)
    .where('object_id', '=', 'plat')
    .execute()
  return new Map(rows.map((row) => [row.inst_id, row.name]))
}

export async function hostRecords(
  { reader, model, showing }: EstateContext,
  hosts: readonly Host[],
  business: string | null,
  paths: ReadonlyMap<number, Path>,
  clouds: ReadonlyMap<number, string>,
): Promise<RecordOf<'host'>[]> {
  const object = objectOf(model, 'host')
  const { modules } = await neighboursOf(reader, hosts, (kind) => kind === 'module')
  return hosts.map((host) => ({
    is: 'host',
    business,
    cloud: clouds.get(host.cloud_id) ?? '',
    // Ordered by name, since ids differ between estates.
    modules: (modules.get(host.id) ?? []).map((module) => [...(paths.get(module.id) ?? [])]).toSorted(byNames),
    attributes: attributesOfInstance(object, showHost(object, host, inEnglish(showing))),
  }))
}

const byNames = (one: readonly string[], other: readonly string[]) => (one.join('/') < other.join('/') ? -1 : 1)
