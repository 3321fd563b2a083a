import type { Caller } from '../../../platform/http/route.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { Zone } from '../../../platform/time.ts'
import { type Host, neighboursOf, planSearch, readHostQuery, showHost, walkHosts } from '../../hosts/index.ts'
import { inEnglish, modelOf, objectOf, type Showing } from '../../model/index.ts'
import { type Path, placesOf, show } from '../../topology/index.ts'
import { attributesOf, businessNames, lists, type Place, type SmallKind } from './list.ts'
import { type AnyRecord, type RecordOf, version } from './records.ts'

const before: SmallKind[] = ['classification', 'object', 'attribute_group', 'attribute', 'role', 'instance', 'business']
const after: SmallKind[] = ['query', 'group', 'subscription', 'required', 'paused']
const atOnce = 500

/** Everything of an account in the order in which it can be taken in; each business with its hosts behind its nodes. */
export async function* estateOf(storage: Storage, { account }: Caller, zone: Zone): AsyncGenerator<AnyRecord[]> {
  const model = await modelOf(storage.read, account)
  const showing: Showing = { language: 'en', zone }
  const place: Place = { reader: storage.heavy, account, model, showing }
  yield [{ is: 'estate', version }]
  for (const kind of before) yield await recordsOf(place, kind)
  for (const { node, name } of await businessNames(place)) {
    const placed = await placesOf(place.reader, node.id, { internal: true, language: 'en' })
    const own = placed.filter((each) => each.node.built_in === 0)
    for (let from = 0; from < own.length; from += atOnce) {
      yield own.slice(from, from + atOnce).map((each): RecordOf<'node'> => {
        const object = objectOf(model, each.node.object_id)
        const attributes = attributesOf(object, show(object, each.node, showing))
        return { is: 'node', business: name, path: [...each.path], attributes }
      })
    }
    const paths = new Map(placed.map((each) => [each.node.id, each.path]))
    yield* hostsOf(storage, place, node.id, name, paths)
  }
  for (const kind of after) yield await recordsOf(place, kind)
}

const recordsOf = async (place: Place, kind: SmallKind): Promise<AnyRecord[]> =>
  (await lists[kind](place)).map(({ record }) => record)

async function* hostsOf(
  storage: Storage,
  place: Place,
  business: number,
  name: string | null,
  paths: ReadonlyMap<number, Path>,
): AsyncGenerator<AnyRecord[]> {
  const { account, model, showing } = place
  const query = readHostQuery([], { model, zone: showing.zone, path: 'condition', kinds: [], strict: false })
  const plan = await planSearch(storage, { account, model, business, query, order: [] })
  const clouds = await cloudNames(place)
  for await (const hosts of walkHosts(storage, plan)) yield await hostRecords(place, hosts, name, paths, clouds)
}

/** Cloud areas by their public ids. */
export async function cloudNames({ reader, account }: Pick<Place, 'reader' | 'account'>): Promise<Map<number, string>> {
  const rows = await reader
    .selectFrom('node')
    .select(['inst_id', 'name'])
    .where('account', '=', account)
    .where('object_id', '=', 'plat')
    .execute()
  return new Map(rows.map((row) => [row.inst_id, row.name]))
}

export async function hostRecords(
  { reader, model, showing }: Place,
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
    // By name, since the ids that order them differ from one estate to another.
    modules: (modules.get(host.id) ?? []).map((module) => [...(paths.get(module.id) ?? [])]).toSorted(byNames),
    attributes: attributesOf(object, showHost(object, host, inEnglish(showing))),
  }))
}

const byNames = (one: readonly string[], other: readonly string[]) => (one.join('/') < other.join('/') ? -1 : 1)
