// The records that the history of an instance consists of.
import { operationTypes } from '@mainline/contract'
import { sql } from 'kysely'
import type { Reader } from '../../../storage/index.ts'
import { modelOf } from '../../model/index.ts'
import { type Existence, existenceOf, logOf, maxConsidered, nodesBelow, refuseMany } from './members.ts'
import { type PlacedModule, partsOf } from './parts.ts'
import { hostsFiledUnder, inSteps, modulesNow, placeAt, placementsOf } from './placements.ts'
import type { LogRange } from './range.ts'
import type { Root } from './root.ts'

/** A record that belongs to a history. */
export interface Entry {
  readonly position: number
  readonly biz_id: number
  readonly object_id: string
  readonly inst_id: number
  readonly ext_key: string
  readonly operation: number
}

const inRange = (reader: Reader, account: string, { after, upTo }: LogRange) =>
  logOf(reader, account)
    .where('position', '>', after.position)
    .where('position', '<=', upTo.position)
    .select(['position', 'biz_id', 'object_id', 'inst_id', 'ext_key', 'operation'])
    .$narrowType<Entry>()

/** Read as they are found; the order is that of positions, newest first. */
export async function entriesOf(
  reader: Reader,
  root: Root,
  range: LogRange,
  isBelowIncluded: boolean,
): Promise<Entry[]> {
  const own = await ownEntries(reader, root, range)
  const below = isBelowIncluded ? await entriesBelow(reader, root, range) : []
  const all = new Map([...own, ...below].map((entry) => [entry.position, entry]))
  refuseMany(all.size)
  return [...all.values()].toSorted((one, other) => other.position - one.position)
}

async function ownEntries(reader: Reader, { account, object, id, business }: Root, range: LogRange): Promise<Entry[]> {
  const own = await inRange(reader, account, range)
    .where('object_id', '=', object)
    .where('inst_id', '=', id)
    .limit(maxConsidered + 1)
    .execute()
  if (object !== 'set' && object !== 'module') return own
  // Built-in sets and modules are created and deleted with their business: its record names them.
  const ends = await inRange(reader, account, range)
    .select(['content', 'events', 'revision'])
    .where('object_id', '=', 'biz')
    .where('inst_id', '=', business)
    .where('operation', 'in', [operationTypes.add, operationTypes.delete])
    .execute()
  const naming = ends.filter((record) => partsOf(record).some((part) => part.object === object && part.id === id))
  return [...own, ...naming]
}

async function entriesBelow(reader: Reader, root: Root, range: LogRange): Promise<Entry[]> {
  const { account, object, business } = root
  if (object === 'biz') return entriesInBusiness(reader, root, range)
  if (object === 'host' || business === 0) return []
  const existence = await existenceOf(reader, root)
  const { byObject, modules } = await nodesBelow(reader, root, existence, await modelOf(reader, account))
  const existing = during(range, existence)
  const found: Entry[] = []
  for (const [each, ids] of byObject) {
    const entries = await inRange(reader, account, existing)
      .where('object_id', '=', each)
      .where((eb) => reader.dialect.among(eb.ref('inst_id'), [...ids], 'integer'))
      .limit(maxConsidered + 1)
      .execute()
    found.push(...entries)
    refuseMany(found.length)
  }
  return [...found, ...(await hostEntries(reader, root, existing, modules))]
}

/** What is below a level was there before the level was inserted, and is there after it was removed. */
const during = ({ after, upTo }: LogRange, { first, last }: Existence): LogRange => ({
  after: { ...after, position: Math.max(after.position, first - 1) },
  upTo: { ...upTo, position: Math.min(upTo.position, last) },
})

/** Everything filed under the business, and moves of its hosts to other businesses, which are filed there. */
async function entriesInBusiness(reader: Reader, root: Root, range: LogRange): Promise<Entry[]> {
  const { account, business } = root
  const own = await inRange(reader, account, range)
    .where('biz_id', '=', business)
    .where((eb) => eb.not(eb('object_id', 'like', 'customquery%')))
    .limit(maxConsidered + 1)
    .execute()
  refuseMany(own.length)
  const hosts = await hostsFiledUnder(reader, root, range)
  const moved: Entry[] = []
  for (const part of inSteps(hosts)) {
    const entries = await inRange(reader, account, range)
      .where('object_id', '=', 'host')
      .where((eb) => reader.dialect.among(eb.ref('inst_id'), part, 'integer'))
      .where('operation', '=', operationTypes.transfer)
      .where('biz_id', '<>', business)
      .where(reader.dialect.contains(sql.ref('content'), `"bk_biz_id":${business},`))
      .limit(maxConsidered + 1)
      .execute()
    moved.push(...entries)
    refuseMany(moved.length)
  }
  return [...own, ...moved]
}

/** Records of hosts while they were in one of the modules, and of their coming and going. */
async function hostEntries(
  reader: Reader,
  root: Root,
  range: LogRange,
  modules: ReadonlySet<number>,
): Promise<Entry[]> {
  const { account } = root
  const isInside = (places: readonly PlacedModule[]) => places.some((place) => modules.has(place.bk_module_id))
  const candidates = await hostsFiledUnder(reader, root, range)
  const placements = await placementsOf(reader, account, candidates)
  const unmoved = candidates.filter((host) => !placements.has(host))
  const kept = await modulesNow(reader, account, unmoved)
  const found: Entry[] = []
  const inside: number[] = []
  for (const host of candidates) {
    const records = placements.get(host) ?? []
    const touching = records.filter((record) => isInside(record.before) || isInside(record.after))
    if (touching.length > 0 || kept.get(host)?.some((module) => modules.has(module))) inside.push(host)
    for (const { position, biz_id, operation } of touching.filter((record) => isIn(range, record.position)))
      found.push({ position, biz_id, object_id: 'host', inst_id: host, ext_key: '', operation })
  }
  for (const part of inSteps(inside)) {
    const updates = await inRange(reader, account, range)
      .where('object_id', '=', 'host')
      .where((eb) => reader.dialect.among(eb.ref('inst_id'), part, 'integer'))
      .where('operation', '=', operationTypes.update)
      .limit(maxConsidered + 1)
      .execute()
    refuseMany(updates.length)
    found.push(
      ...updates.filter(({ inst_id: host, position }) => {
        const records = placements.get(host)
        return !records || isInside(placeAt(records, position))
      }),
    )
  }
  return found
}

const isIn = ({ after, upTo }: LogRange, position: number) => position > after.position && position <= upTo.position
