// The instances that a diff is about, each with its records between the moments.
import type { history } from '@mainline/contract'
import type { Reader } from '../../../../storage/index.ts'
import type { Model } from '../../../model/index.ts'
import { chainOf } from '../../../topology/index.ts'
import { type Entry, entriesOf } from '../entries.ts'
import { logOf, maxConsidered, modulesBelow, refuseMany } from '../members.ts'
import type { PlacedModule } from '../parts.ts'
import { inSteps, placeAt, placementsOf } from '../placements.ts'
import type { LogRange } from '../range.ts'
import type { Root } from '../root.ts'
import type { ResultsOfQuery } from './results.ts'

/** An instance with the positions of its records between the moments, oldest first. */
export interface Subject {
  readonly object: string
  readonly id: number
  readonly positions: readonly number[]
  /** Set for a host that is in the result of a query at one of both moments only. */
  readonly crossing?: { readonly change: history.Difference; readonly name: string }
}

/** What has records below an instance, from the top of the main line down. */
export async function subjectsBelow(reader: Reader, root: Root, range: LogRange, model: Model): Promise<Subject[]> {
  const entries = await entriesOf(reader, root, range, true)
  return inOrder(model, await subjectsOf(reader, root, range, entries))
}

/** The hosts in the result of a query at one moment at least: those that have records, and those that have entered or left it. */
export async function subjectsInResults(
  reader: Reader,
  { account }: Root,
  range: LogRange,
  { earlier, later, nameOf }: ResultsOfQuery,
): Promise<Subject[]> {
  const hosts = [...earlier.union(later)].toSorted((one, other) => one - other)
  const positions = await positionsOf(reader, account, range, hosts)
  return hosts.flatMap((id): Subject[] => {
    const subject = { object: 'host', id, positions: positions.get(id) ?? [] }
    if (earlier.has(id) !== later.has(id)) {
      return [{ ...subject, crossing: { change: later.has(id) ? 'created' : 'deleted', name: nameOf(id) } }]
    }
    return subject.positions.length > 0 ? [subject] : []
  })
}

/** Hosts with all of their records, as they may have been elsewhere in between; those that were outside at both moments are left out. */
async function subjectsOf(reader: Reader, root: Root, range: LogRange, entries: readonly Entry[]): Promise<Subject[]> {
  const groups = Map.groupBy(
    entries.filter((entry) => entry.object_id !== 'host' || root.object === 'host'),
    ({ object_id, inst_id, ext_key }) => `${object_id} ${object_id === 'userapi' ? ext_key : inst_id}`,
  )
  const others = [...groups.values()].flatMap((own): Subject[] => {
    const [entry] = own
    // The record of a business is also about its built-in sets and modules.
    const isNamed = entry?.object_id === 'biz' && entry.inst_id !== root.id
    const about = isNamed ? { object: root.object, id: root.id } : { object: entry?.object_id, id: entry?.inst_id }
    const positions = own.map(({ position }) => position).toReversed()
    return about.object === undefined ? [] : [{ object: about.object, id: about.id ?? 0, positions }]
  })
  if (root.object === 'host') return others
  const hosts = [...new Set(entries.filter((entry) => entry.object_id === 'host').map((entry) => entry.inst_id))]
  return [...others, ...(await hostSubjects(reader, root, range, hosts))]
}

async function hostSubjects(reader: Reader, root: Root, range: LogRange, hosts: readonly number[]): Promise<Subject[]> {
  if (hosts.length === 0) return []
  const { account } = root
  const modules = root.object === 'biz' ? undefined : await modulesBelow(reader, root)
  const isInside = (places: readonly PlacedModule[]) =>
    places.some((place) => (modules ? modules.has(place.bk_module_id) : place.bk_biz_id === root.business))
  const placements = await placementsOf(reader, account, hosts)
  const concerned = hosts.filter((host) => {
    const records = placements.get(host)
    const at = (position: number) => isInside(placeAt(records ?? [], position))
    return !records || at(range.after.position) || at(range.upTo.position)
  })
  const positions = await positionsOf(reader, account, range, concerned)
  return [...positions].map(([id, own]) => ({ object: 'host', id, positions: own }))
}

/** The positions of the records of hosts, oldest first. */
async function positionsOf(
  reader: Reader,
  account: string,
  { after, upTo }: LogRange,
  hosts: readonly number[],
): Promise<Map<number, number[]>> {
  const positions = new Map<number, number[]>()
  let count = 0
  for (const part of inSteps(hosts)) {
    const records = await logOf(reader, account)
      .select(['position', 'inst_id'])
      .where('object_id', '=', 'host')
      .where((eb) => reader.dialect.among(eb.ref('inst_id'), part, 'integer'))
      .where('position', '>', after.position)
      .where('position', '<=', upTo.position)
      .orderBy('position')
      .limit(maxConsidered + 1)
      .execute()
    count += records.length
    refuseMany(count)
    for (const { inst_id: host, position } of records) {
      const own = positions.get(host) ?? []
      own.push(position ?? 0)
      positions.set(host, own)
    }
  }
  return positions
}

/** From the top of the main line down, then by object and id. */
function inOrder(model: Model, subjects: readonly Subject[]): Subject[] {
  const chain = chainOf(model).map(({ id }) => id)
  const rank = ({ object }: Subject) => (chain.includes(object) ? chain.indexOf(object) : chain.length)
  return subjects.toSorted(
    (one, other) => rank(one) - rank(other) || one.object.localeCompare(other.object) || one.id - other.id,
  )
}
