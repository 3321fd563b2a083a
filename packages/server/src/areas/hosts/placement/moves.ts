// The six kinds of moves. Each is atomic: all of the hosts, or none.
import { problem, rule } from '@mainline/contract'
import { expectRevision, type Tx } from '../../../storage/index.ts'
import { builtIn, findPool, joinBusiness } from '../../topology/index.ts'
import { type Host, holdHosts } from '../rows.ts'
import {
  builtInSpot,
  relocate,
  type Spot,
  settled,
  spotsCalled,
  spotsOf,
  spotsToEnter,
  whereabouts,
} from './placement.ts'

const noBusiness = () => problem('unknown', { field: 'bk_biz_id' })

interface ModuleMove {
  readonly bizId: number
  readonly hostIds: readonly number[]
  readonly moduleIds: readonly number[]
  /** The hosts also stay in their current modules. */
  readonly beside: boolean
}

export async function moveToModules(tx: Tx, { bizId, hostIds, moduleIds, beside }: ModuleMove): Promise<void> {
  const business = await joinBusiness(tx, bizId, noBusiness)
  const hosts = await holdAll(tx, hostIds)
  refuseStrangers(hosts, business)
  const entering = await spotsToEnter(tx, business, moduleIds)
  await place(tx, hosts, (from) => settled(beside ? from : [], entering))
}

export async function moveToBuiltIn(
  tx: Tx,
  bizId: number,
  hostIds: readonly number[],
  kind: 'idle' | 'fault',
): Promise<void> {
  const business = await joinBusiness(tx, bizId, noBusiness)
  const hosts = await holdAll(tx, hostIds)
  refuseStrangers(hosts, business)
  const spot = await builtInSpot(tx, business, builtIn[kind])
  await place(tx, hosts, () => [spot])
}

/** Only idle hosts can be returned to the pool: a host in a normal module is still in use. */
export async function moveToPool(tx: Tx, bizId: number, hostIds: readonly number[]): Promise<void> {
  const business = await joinBusiness(tx, bizId, noBusiness)
  const hosts = await holdAll(tx, hostIds)
  refuseStrangers(hosts, business)
  const pool = await findPool(tx, tx.actor.account)
  const spot = await builtInSpot(tx, pool.node, builtIn.idle)
  await place(tx, hosts, (from, host) => {
    if (pool.node === business) return from
    if (from.some((each) => each.built_in !== builtIn.idle)) throw notIdle(host)
    return [spot]
  })
}

const notIdle = (host: Host) => problem('hostNotIdle', { rule: rule('hostCalled', { host: host.host_id }) })

/** Hosts that are already in the idle module of the business stay there, so that the request can be repeated. */
export async function assignFromPool(tx: Tx, bizId: number, hostIds: readonly number[]): Promise<void> {
  const business = await joinBusiness(tx, bizId, noBusiness)
  const hosts = await holdAll(tx, hostIds)
  const pool = await findPool(tx, tx.actor.account)
  const spot = await builtInSpot(tx, business, builtIn.idle)
  await place(tx, hosts, (from, host) => {
    const isThere = from.length === 1 && from[0]?.module === spot.module
    if (host.business !== pool.node && !isThere) {
      throw problem('hostElsewhere', { rule: rule('hostCalled', { host: host.host_id }) })
    }
    return [spot]
  })
}

/** Empties a module, or all modules of a set. Hosts that are in other modules too stay there; the others become idle. */
export async function emptyToIdle(
  tx: Tx,
  bizId: number,
  { setId, moduleId }: { setId: number | undefined; moduleId: number | undefined },
): Promise<void> {
  const business = await joinBusiness(tx, bizId, noBusiness)
  const isEmptied = (spot: Spot) =>
    (setId === undefined || spot.set_id === setId) && (moduleId === undefined || spot.module_id === moduleId)
  const inside = await tx
    .selectFrom('placement')
    .innerJoin('host', 'host.id', 'placement.host')
    .innerJoin('node as module', 'module.id', 'placement.module')
    .select('host.host_id')
    .where('placement.business', '=', business)
    .$if(setId !== undefined, (query) => query.where('module.parent_id', '=', setId ?? 0))
    .$if(moduleId !== undefined, (query) => query.where('module.inst_id', '=', moduleId ?? 0))
    .execute()
  await refuseUnknownPlace(tx, business, setId, moduleId)
  const hosts = await holdHosts(tx, [...new Set(inside.map((row) => row.host_id))])
  const idle = await builtInSpot(tx, business, builtIn.idle)
  await place(tx, hosts, (from, host) => {
    // A host that has moved away since it was found is not moved.
    if (host.business !== business || !from.some(isEmptied)) return from
    const staying = from.filter((spot) => !isEmptied(spot))
    return staying.length > 0 ? staying : [idle]
  })
}

async function refuseUnknownPlace(
  tx: Tx,
  business: number,
  setId: number | undefined,
  moduleId: number | undefined,
): Promise<void> {
  if (moduleId !== undefined) {
    const [spot] = await spotsCalled(tx, business, [moduleId])
    if (setId !== undefined && spot?.set_id !== setId) throw problem('moduleNotFound')
  } else {
    const set = await tx
      .selectFrom('node')
      .select('id')
      .where('business', '=', business)
      .where('object_id', '=', 'set')
      .where('inst_id', '=', setId ?? 0)
      .executeTakeFirst()
    if (!set) throw problem('unknown', { field: 'bk_set_id' })
  }
}

/** Locks all of the hosts for this change; refused if one does not exist. */
export async function holdAll(tx: Tx, hostIds: readonly number[]): Promise<Host[]> {
  const wanted = new Set(hostIds)
  const hosts = await holdHosts(tx, [...wanted])
  if (hosts.length < wanted.size) {
    for (const { host_id } of hosts) wanted.delete(host_id)
    throw problem('hostNotFound', { rule: rule('hostCalled', { host: shortList([...wanted]) }) })
  }
  return hosts
}

const shortList = (ids: readonly number[]) => ids.slice(0, 10).join(', ') + (ids.length > 10 ? ', …' : '')

function refuseStrangers(hosts: readonly Host[], business: number): void {
  const strangers = hosts.filter((host) => host.business !== business).map((host) => host.host_id)
  if (strangers.length > 0) throw problem('hostNotInBusiness', { host: shortList(strangers) })
}

async function place(
  tx: Tx,
  hosts: readonly Host[],
  destination: (from: readonly Spot[], host: Host) => readonly Spot[],
): Promise<void> {
  const spots = await spotsOf(
    tx,
    hosts.map((host) => host.id),
  )
  expectRevision(tx, hosts, (host) => whereabouts(host, spots.get(host.id) ?? []))
  await relocate(
    tx,
    hosts.map((host) => {
      const from = spots.get(host.id) ?? []
      return { host, from, to: destination(from, host) }
    }),
  )
}
