// Where hosts have been, as the log has it.
import { operationTypes } from '@mainline/contract'
import { inTurns } from '../../../common/concurrency/turns.ts'
import type { Reader } from '../../../storage/index.ts'
import { readLiveRows } from '../recorded/index.ts'
import { logOf, maxConsidered, refuseMany } from './members.ts'
import { type PartRecord, type PlacedModule, partsOf } from './parts.ts'
import type { LogRange } from './range.ts'
import type { Root } from './root.ts'

/** A record that placed, moved or removed a host. */
export interface PlacementRecord {
  readonly position: number
  readonly biz_id: number
  readonly operation: number
  readonly before: readonly PlacedModule[]
  readonly after: readonly PlacedModule[]
}

const structural = [operationTypes.add, operationTypes.delete, operationTypes.transfer]
const hostsPerStep = 2_000

/** Parts of a list of ids that one statement takes. */
export function* inSteps(ids: readonly number[]): Generator<readonly number[]> {
  for (let first = 0; first < ids.length; first += hostsPerStep) yield ids.slice(first, first + hostsPerStep)
}

/** Where hosts have been, oldest first. */
export async function placementsOf(
  reader: Reader,
  account: string,
  hosts: readonly number[],
): Promise<Map<number, PlacementRecord[]>> {
  const found = new Map<number, PlacementRecord[]>()
  let read = 0
  for (const part of inSteps(hosts)) {
    const records = await logOf(reader, account)
      .select(['position', 'biz_id', 'object_id', 'inst_id', 'operation', 'content', 'events', 'ext_key', 'revision'])
      .where('object_id', '=', 'host')
      .where((eb) => reader.dialect.among(eb.ref('inst_id'), part, 'integer'))
      .where('operation', 'in', structural)
      .where('position', 'is not', null)
      .orderBy('ticket')
      .limit(maxConsidered + 1)
      .execute()
    read += records.length
    refuseMany(read)
    await inTurns(records, (record) => {
      const own = found.get(record.inst_id) ?? []
      const { position, biz_id, operation } = record
      own.push({ position: position ?? 0, biz_id, operation, ...placesOf(record) })
      found.set(record.inst_id, own)
    })
  }
  return found
}

const placesOf = (record: PartRecord) => partsOf(record)[0]?.places ?? { before: [], after: [] }

/** Where a host was after the record at a position. Before the first of the records, it was where that one found it. */
export function placeAt(records: readonly PlacementRecord[], position: number): readonly PlacedModule[] {
  const last = records.findLast((record) => record.position <= position)
  return last ? last.after : (records[0]?.before ?? [])
}

/** The modules of hosts that have not been moved since records are kept. */
export async function modulesNow(
  reader: Reader,
  account: string,
  hosts: readonly number[],
): Promise<Map<number, number[]>> {
  const rows = await readLiveRows(reader, account, 'placement', hosts.map(String))
  return new Map([...rows].map(([host, { modules }]) => [Number(host), Array.isArray(modules) ? modules : []]))
}

/**
 * Hosts with a record under the business up to the end of the range: those that have ever been in it, as entering it is filed under it.
 * Leaving it for another business is not.
 */
export async function hostsFiledUnder(
  reader: Reader,
  { account, business }: Root,
  { upTo }: LogRange,
): Promise<number[]> {
  const hosts = await logOf(reader, account)
    .select('inst_id')
    .distinct()
    .where('biz_id', '=', business)
    .where('object_id', '=', 'host')
    .where('position', '<=', upTo.position)
    .limit(maxConsidered + 1)
    .execute()
  refuseMany(hosts.length)
  return hosts.map((row) => row.inst_id)
}
