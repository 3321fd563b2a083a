// Placement: a host is in one business and in one or more of its modules; idle and fault modules exclude all others.

import { problem, rule } from '@mainline/contract'
import { inTurns } from '../../../common/concurrency/turns.ts'
import { present } from '../../../common/present.ts'
import { type Emitted, insertMany, type Reader, type Snapshot, type Tx } from '../../../storage/index.ts'
import { findPool } from '../../topology/index.ts'
import type { Host } from '../rows.ts'

/** A module with its set and business: internal ids for foreign keys, public ids and names for records. */
export interface Spot {
  readonly module: number
  readonly module_id: number
  readonly module_name: string
  readonly built_in: number
  readonly set_node: number
  readonly set_id: number
  readonly set_name: string
  readonly business: number
  readonly biz_id: number
  readonly biz_name: string
}

const selectSpots = (reader: Reader) =>
  reader
    .selectFrom('node as module')
    .innerJoin('node as in_set', 'in_set.id', 'module.parent')
    .innerJoin('node as biz', 'biz.id', 'module.business')
    .where('module.object_id', '=', 'module')
    .select([
      'module.id as module',
      'module.inst_id as module_id',
      'module.name as module_name',
      'module.built_in',
      'in_set.id as set_node',
      'in_set.inst_id as set_id',
      'in_set.name as set_name',
      'biz.id as business',
      'biz.inst_id as biz_id',
      'biz.name as biz_name',
    ])

/** Modules of a business, ordered by id; refused if one does not exist. */
export async function spotsCalled(reader: Reader, business: number, moduleIds: readonly number[]): Promise<Spot[]> {
  const spots = await selectSpots(reader)
    .where('module.business', '=', business)
    .where((eb) => reader.dialect.among(eb.ref('module.inst_id'), moduleIds, 'integer'))
    .orderBy('module.inst_id')
    .execute()
  const missing = moduleIds.find((id) => !spots.some((spot) => spot.module_id === id))
  if (missing !== undefined) throw problem('moduleNotFound', { rule: rule('value', { value: missing }) })
  return spots
}

/** A target of a placement: modules that hosts are in together. */
export async function spotsToEnter(reader: Reader, business: number, moduleIds: readonly number[]): Promise<Spot[]> {
  const spots = await spotsCalled(reader, business, [...new Set(moduleIds)])
  refuseMixed(spots)
  return spots
}

/** The idle or the fault module excludes all others. */
export function refuseMixed(spots: readonly Spot[]): void {
  if (spots.length > 1 && spots.some((spot) => spot.built_in !== 0)) {
    throw problem('invalid', { field: 'bk_module_id', rule: rule('builtInAlone') })
  }
}

export async function builtInSpot(reader: Reader, business: number, kind: number): Promise<Spot> {
  return selectSpots(reader)
    .where('module.business', '=', business)
    .where('module.built_in', '=', kind)
    .executeTakeFirstOrThrow()
}

/** The modules of each host, ordered by id. */
export async function spotsOf(reader: Reader, hosts: readonly number[]): Promise<Map<number, Spot[]>> {
  const rows = await selectSpots(reader)
    .innerJoin('placement', 'placement.module', 'module.id')
    .select('placement.host')
    .where((eb) => reader.dialect.among(eb.ref('placement.host'), hosts, 'integer'))
    .orderBy('module.inst_id')
    .execute()
  return Map.groupBy(rows, (row) => row.host)
}

/** Entering the idle or the fault module leaves all others; entering a normal one leaves these two. */
export function settled(staying: readonly Spot[], entering: readonly Spot[]): Spot[] {
  if (entering.some((spot) => spot.built_in !== 0)) return [...entering]
  const kept = staying.filter((spot) => spot.built_in === 0 && !entering.some(({ module }) => module === spot.module))
  return [...kept, ...entering].toSorted((a, b) => a.module_id - b.module_id)
}

export interface Move {
  readonly host: Host
  readonly from: readonly Spot[]
  readonly to: readonly Spot[]
}

const sameModules = (from: readonly Spot[], to: readonly Spot[]) =>
  from.length === to.length && from.every((spot) => to.some(({ module }) => module === spot.module))

/** Moves hosts that this change has locked. Hosts that are already in the modules get no record and no event. Returns the moved hosts. */
export async function relocate(tx: Tx, moves: readonly Move[]): Promise<number[]> {
  const real = moves.filter(({ from, to }) => !sameModules(from, to))
  if (real.length === 0) return []
  const ids = real.map(({ host }) => host.id)
  await tx
    .deleteFrom('placement')
    .where((eb) => tx.dialect.among(eb.ref('host'), ids, 'integer'))
    .execute()
  for (const [business, moved] of Map.groupBy(real, ({ to }) => present(to[0]?.business))) {
    const arriving = moved.map(({ host }) => host.id)
    await tx
      .updateTable('host')
      .set((eb) => ({ business, revision: eb('revision', '+', 1) }))
      .where((eb) => tx.dialect.among(eb.ref('id'), arriving, 'integer'))
      .execute()
  }
  await insertPlacements(
    tx,
    real.map(({ host, to }) => ({ host: host.id, spots: to })),
  )
  const pool = await findPool(tx, tx.actor.account)
  await inTurns(real, (move) => tx.record(happened(tx, move, pool.node)))
  return real.map(({ host }) => host.host_id)
}

export async function insertPlacements(
  tx: Tx,
  placed: readonly { readonly host: number; readonly spots: readonly Spot[] }[],
): Promise<void> {
  const rows = placed.flatMap(({ host, spots }) =>
    spots.map(({ module, set_node, business }) => ({ host, module, set_node, business })),
  )
  await insertMany(tx, 'placement', rows)
}

function happened(tx: Tx, { host, from, to }: Move, pool: number) {
  const { account } = tx.actor
  const left = from.filter((spot) => !to.some(({ module }) => module === spot.module))
  const joined = to.filter((spot) => !from.some(({ module }) => module === spot.module))
  // A move between pool and business is recorded in the business, where its maintainers look for it; users of the pool see both.
  const told = [...to, ...from].find((spot) => spot.business !== pool) ?? to[0]
  return {
    operation: 'transfer',
    object: 'host',
    instance: host.host_id,
    business: told?.biz_id ?? 0,
    description: 'host module change',
    revision: host.revision + 1,
    key: host.inner_ip,
    before: whereabouts(host, from),
    after: whereabouts(host, to),
    events: [
      ...left.map((spot) => transfer(account, host, spot, 'left')),
      ...joined.map((spot) => transfer(account, host, spot, 'joined')),
    ],
  } as const
}

/** One joined or left module as in the body of the event: the five ids. */
export function transfer(account: string, host: Pick<Host, 'host_id'>, spot: Spot, how: 'joined' | 'left'): Emitted {
  const ids: Snapshot = {
    bk_biz_id: spot.biz_id,
    bk_set_id: spot.set_id,
    bk_module_id: spot.module_id,
    bk_host_id: host.host_id,
    bk_supplier_account: account,
  }
  return how === 'joined'
    ? { name: 'moduletransfer', before: null, after: ids }
    : { name: 'moduletransfer', before: ids, after: null }
}

export function whereabouts(host: Host, spots: readonly Spot[]): Snapshot {
  const sets = new Map(spots.map(({ set_id, set_name }) => [set_id, { bk_set_id: set_id, bk_set_name: set_name }]))
  return {
    bk_host_id: host.host_id,
    bk_host_innerip: host.inner_ip,
    bk_biz_id: spots[0]?.biz_id ?? 0,
    bk_biz_name: spots[0]?.biz_name ?? '',
    set: [...sets.values()],
    module: spots.map(({ module_id, module_name, set_id }) => ({
      bk_module_id: module_id,
      bk_module_name: module_name,
      bk_set_id: set_id,
    })),
  }
}
