// The log and the stored rows, read directly from the database, in the form that the checker compares.
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { eventsOf } from '../../packages/server/src/areas/events/feed/index.ts'
import { verifyState } from '../../packages/server/src/areas/history/past/index.ts'
import type { StorageConfig } from '../../packages/server/src/storage/index.ts'
import {
  describeFault,
  type LogRecord,
  openForReading,
  type Reader,
  verifyLog,
} from '../../packages/server/src/storage/index.ts'
import type { Entry, Facts, Row, Snapshot } from './checker.ts'

/** Operations whose records describe the instance. */
const states = [1, 2, 3]
/** The longest time that committed records may have no position, in milliseconds. */
const numberingTime = 15_000

export interface Found extends Facts {
  readonly verified: readonly string[]
}

export async function readFacts(config: StorageConfig): Promise<Found> {
  const { reader, atOneMoment, close } = await openForReading(config)
  try {
    await numbered(reader)
    const verdict = await verifyLog(reader, () => {})
    const { difference } = await atOneMoment((moment) => verifyState(moment, () => {}))
    const log = (await reader.selectFrom('log').selectAll().orderBy('position').execute()).map(entryOf)
    const trees = log.filter(({ before, after }) => 'bk_parent_id' in (after ?? before ?? {}))
    return {
      verified: [...verdict.faults.map(describeFault), ...(difference === undefined ? [] : [difference])],
      log,
      kinds: [...new Set([...trees.map((entry) => entry.object), 'host', 'usergroup', 'instassociation'])],
      rows: [
        ...(await nodes(reader, await attributes(reader))),
        ...(await hosts(reader)),
        ...(await groups(reader)),
        ...(await associations(reader)),
      ],
      placements: await placements(reader),
      parents: await parents(reader),
      counters: await counters(reader),
    }
  } finally {
    await close()
  }
}

async function numbered(reader: Reader): Promise<void> {
  const deadline = performance.now() + numberingTime
  for (;;) {
    const open = await reader.selectFrom('log').select('ticket').where('position', 'is', null).limit(1).execute()
    if (open.length === 0 || performance.now() > deadline) return
    await pause(25)
  }
}

function entryOf(record: LogRecord): Entry {
  const { pre, cur } = JSON.parse(record.content) as { pre: Snapshot | null; cur: Snapshot | null }
  const events = eventsOf(record)
  const moves = events.filter(({ name }) => name === 'moduletransfer').map(({ data }) => data[0])
  const modules = (side: 'cur_data' | 'pre_data') =>
    moves.flatMap((move) => move?.[side]?.bk_module_id ?? []) as number[]
  return {
    position: record.position,
    transaction: record.txn_id,
    ordinal: record.ordinal,
    request: record.request_id,
    object: record.object_id,
    instance: record.inst_id,
    // The first grants of a group or attribute have no record of their creation; a history reset is not about an instance.
    isState: states.includes(record.operation) && !['privilege', 'history'].includes(record.object_id),
    before: pre,
    after: cur,
    // The event that represents the identities of many hosts is not sent itself.
    events: events.filter(({ renamed }) => !renamed).map(({ index, name }) => ({ index, name })),
    joined: modules('cur_data'),
    left: modules('pre_data'),
    // Events of hosts that enter the result of a query are events of the host.
    revision: record.object_id.startsWith('customquery:') ? 0 : record.revision,
    counter: counterOf(record),
  }
}

/** Saved queries have no numeric id; the record's key contains theirs. */
function counterOf({ object_id, inst_id, ext_key }: LogRecord): string {
  const object = object_id === 'privilege' ? 'usergroup' : object_id
  return object === 'userapi' ? `${object} ${ext_key}` : `${object} ${inst_id}`
}

/** `object attribute` of all existing attributes. Values of a removed attribute are kept in rows, but not shown to clients. */
async function attributes(reader: Reader): Promise<Set<string>> {
  const rows = await reader.selectFrom('attribute').select(['object_id', 'attribute_id']).execute()
  return new Set(rows.map((row) => `${row.object_id} ${row.attribute_id}`))
}

async function nodes(reader: Reader, existing: ReadonlySet<string>): Promise<Row[]> {
  const rows = await reader
    .selectFrom('node')
    .select(['object_id', 'inst_id', 'name', 'parent', 'parent_id', 'biz_id', 'attributes'])
    .where('built_in', '=', 0)
    // Not businesses, which the load does not change.
    .where('object_id', '<>', 'biz')
    .execute()
  return rows.map((row) => {
    const name = ['set', 'module'].includes(row.object_id) ? `bk_${row.object_id}_name` : 'bk_inst_name'
    const below = { bk_parent_id: row.parent_id, bk_biz_id: row.biz_id, bk_capacity: null }
    const values = { [name]: row.name, ...(row.parent !== null && below) }
    const stored = Object.entries(JSON.parse(row.attributes)).filter(([id]) => existing.has(`${row.object_id} ${id}`))
    return { object: row.object_id, instance: row.inst_id, values: { ...values, ...Object.fromEntries(stored) } }
  })
}

async function hosts(reader: Reader): Promise<Row[]> {
  const rows = await reader.selectFrom('host').select(['host_id', 'inner_ip', 'cloud_id', 'attributes']).execute()
  return rows.map((row) => ({
    object: 'host',
    instance: row.host_id,
    values: { bk_host_innerip: row.inner_ip, bk_cloud_id: row.cloud_id, operator: null, ...JSON.parse(row.attributes) },
  }))
}

async function groups(reader: Reader): Promise<Row[]> {
  const rows = await reader.selectFrom('user_group').select(['id', 'name', 'user_list']).execute()
  return rows.map(({ id, name, user_list }) => ({
    object: 'usergroup',
    instance: id,
    values: { group_name: name, user_list },
  }))
}

async function associations(reader: Reader): Promise<Row[]> {
  const rows = await reader
    .selectFrom('instance_association')
    .innerJoin('object_association', 'object_association.id', 'instance_association.association')
    .select(['instance_association.id', 'association_id', 'source_id', 'target_id'])
    .execute()
  return rows.map(({ id, association_id, source_id, target_id }) => ({
    object: 'instassociation',
    instance: id,
    values: { bk_obj_asst_id: association_id, bk_inst_id: source_id, bk_asst_inst_id: target_id },
  }))
}

async function placements(reader: Reader): Promise<string[]> {
  const rows = await reader
    .selectFrom('placement')
    .innerJoin('host', 'host.id', 'placement.host')
    .innerJoin('node', 'node.id', 'placement.module')
    .select(['host_id', 'inst_id'])
    .execute()
  return rows.map(({ host_id, inst_id }) => `${host_id} ${inst_id}`)
}

const parents = (reader: Reader) =>
  reader
    .selectFrom('node as lower')
    .innerJoin('node as upper', 'upper.id', 'lower.parent')
    .innerJoin('object', (join) =>
      join.onRef('object.account', '=', 'lower.account').on('object.object_id', '=', 'set'),
    )
    .select(['lower.inst_id as set', 'upper.object_id as under', sql<string>`object.above`.as('above')])
    .where('lower.object_id', '=', 'set')
    .where('lower.built_in', '=', 0)
    .execute()

async function counters(reader: Reader): Promise<Map<string, number>> {
  const rows = await reader.selectFrom('favourite').select(['favourite_id', 'uses']).execute()
  return new Map(rows.map(({ favourite_id, uses }) => [favourite_id, uses]))
}
