// Hosts through the API, for the tests of placement, search and queries, and their resulting placement.
import type { DataOf, hosts } from '@mainline/contract'
import { insertMany, type Tx } from '../../storage/index.ts'
import { makeBusiness, makeSet } from './factories.ts'
import type { Answer, TestServer } from '../harness.ts'
import { makeModule } from './levels.ts'

type Attributes = Record<string, unknown>
export type Report = DataOf<typeof hosts.addHosts>

let addresses = 0
/** An address that is unique in this file. */
export function freshAddress(): string {
  addresses++
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
}

export const addRows = (
  server: TestServer,
  rows: Record<string, unknown>,
  more: Attributes = {},
  headers: Record<string, string> = {},
): Promise<Answer<Report>> => server.call<Report>('POST', '/hosts/add', { host_info: rows, ...more }, headers)

export interface Place {
  /** The resource pool by default. */
  readonly business?: number
  /** The idle module by default. */
  readonly modules?: readonly number[]
}

/** Hosts with these attributes, in order; with generated addresses by default. */
export async function makeHosts(
  server: TestServer,
  { business, modules }: Place,
  rows: readonly Attributes[],
): Promise<number[]> {
  const host_info = Object.fromEntries(rows.map((row, index) => [index, { bk_host_innerip: freshAddress(), ...row }]))
  const [path, into] = modules
    ? ['/hosts/sync/new/host', { bk_biz_id: business, bk_module_id: modules }]
    : ['/hosts/add', { bk_biz_id: business ?? 0 }]
  const made = await server.call<Report>('POST', path, { ...into, host_info })
  if (!made.result) throw new Error(made.bk_error_msg ?? '')
  return rows.map((_, index) => made.data.hosts[index] as number)
}

export async function makeHost(server: TestServer, place: Place = {}, attributes: Attributes = {}): Promise<number> {
  const [id] = await makeHosts(server, place, [attributes])
  return id as number
}

export interface Shop {
  business: number
  set: number
  web: number
  db: number
  idle: number
  fault: number
}

/** A business with a set of two modules besides its idle pool. */
export async function makeShop(server: TestServer, name?: string): Promise<Shop> {
  const business = await makeBusiness(server, name)
  const set = await makeSet(server, business, { bk_set_name: 'shop' })
  const [web, db] = [await makeModule(server, business, set, 'web'), await makeModule(server, business, set, 'db')]
  type Internal = { module: { bk_module_id: number }[] }
  const { data } = await server.call<Internal>('GET', `/topo/internal/0/${business}`)
  const [idle, fault] = data.module.map((module) => module.bk_module_id) as [number, number]
  return { business, set, web, db, idle, fault }
}

/** All attributes of a host. */
export async function readHost(server: TestServer, id: number, headers: Record<string, string> = {}) {
  type Detail = { bk_property_id: string; bk_property_name: string; bk_property_value: unknown }[]
  const { data } = await server.call<Detail>('GET', `/hosts/0/${id}`, undefined, headers)
  return Object.fromEntries(data.map((each) => [each.bk_property_id, each.bk_property_value]))
}

/** The modules a host is stored in, by their public ids, in order. */
export async function modulesOf({ service }: TestServer, hostId: number): Promise<number[]> {
  const rows = await service.storage.read
    .selectFrom('placement')
    .innerJoin('host', 'host.id', 'placement.host')
    .innerJoin('node', 'node.id', 'placement.module')
    .select('node.inst_id')
    .where('host.host_id', '=', hostId)
    .orderBy('node.inst_id')
    .execute()
  return rows.map((row) => row.inst_id)
}

export interface HostRecord {
  operation: number
  biz_id: number
  description: string
  ext_key: string
  content: { pre: Attributes | null; cur: Attributes | null }
  events: { name: string; before?: Attributes | null; after?: Attributes | null }[]
}

/** The log records of a host, oldest first. */
export async function recordsOf({ service }: TestServer, hostId: number): Promise<HostRecord[]> {
  const rows = await service.storage.read
    .selectFrom('log')
    .select(['operation', 'biz_id', 'description', 'ext_key', 'content', 'events'])
    .where('object_id', '=', 'host')
    .where('inst_id', '=', hostId)
    .orderBy('ticket')
    .execute()
  return rows.map((row) => ({ ...row, content: JSON.parse(row.content), events: JSON.parse(row.events) }))
}

interface FoundHost {
  host: Attributes
  biz: Attributes[]
  set: Attributes[]
  module: Attributes[]
}

export const searchHosts = (server: TestServer, body: Attributes = {}, headers: Record<string, string> = {}) =>
  server.call<{ count: number; info: FoundHost[] }>('POST', '/hosts/search', body, headers)

/** Many hosts in a module, as rows without records: through the API it would take a minute. To be called before hosts are searched. */
export function putHosts(
  { service }: TestServer,
  module: number,
  count: number,
): Promise<{ id: number; ip: string }[]> {
  const actor = { user: 'test', account: '0', requestId: '' }
  const work = async (tx: Tx) => {
    const node = (object: string, id: number) =>
      tx
        .selectFrom('node')
        .select(['id', 'parent', 'business'])
        .where('account', '=', '0')
        .where('object_id', '=', object)
        .where('inst_id', '=', id)
        .executeTakeFirstOrThrow()
    const [into, area] = [await node('module', module), await node('plat', 0)]
    const business = into.business as number
    const ids = await tx.drawIds('host', count)
    const rows = ids.map((host_id) => ({ host_id, inner_ip: freshAddress() }))
    const own = { account: '0', business, cloud: area.id, cloud_id: 0, create_time: tx.now, last_time: tx.now }
    const hosts = await insertMany(
      tx,
      'host',
      rows.map((row) => ({ ...own, ...row, attributes: `{"bk_host_name":"host ${row.host_id}"}` })),
      { returning: ['id', 'inner_ip'] },
    )
    const addresses = hosts.map(({ id, inner_ip }) => ({ ip: inner_ip, cloud: area.id, host: id }))
    await insertMany(tx, 'host_ip', addresses)
    const place = { module: into.id, set_node: into.parent as number, business }
    await insertMany(
      tx,
      'placement',
      hosts.map(({ id }) => ({ host: id, ...place })),
    )
    return rows.map(({ host_id, inner_ip }) => ({ id: host_id, ip: inner_ip }))
  }
  return service.storage.change(actor, work, { bulk: true })
}
