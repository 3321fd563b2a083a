import type { Tx } from '../../../storage/index.ts'
import { holdHosts } from '../../hosts/index.ts'
import { findAnyNodes, holdBusiness, selectNodes } from '../../topology/index.ts'
import {
  type Columns,
  integer,
  type KeyedKind,
  nodeOfKey,
  type RowChange,
  readLive,
  readLiveRows,
} from '../recorded/index.ts'
import { isDefinition } from './net.ts'
import { Rows, rowId, type UndoableRecord } from './plan.ts'

const kinds: readonly KeyedKind[] = ['node', 'host', 'placement', 'custom_query', 'instance_association']

const keysOf = (records: readonly UndoableRecord[], kind: KeyedKind) => [
  ...new Set(records.flatMap(({ changes }) => changes.filter((each) => each.kind === kind).map(({ key }) => key))),
]

/** Locks what the records are about, in the order of all changes: businesses, then hosts; and reads it. */
export async function holdRows(tx: Tx, records: readonly UndoableRecord[]): Promise<Rows> {
  const { account } = tx.actor
  const changed = new Set(records.flatMap(({ changes }) => changes.map(({ kind }) => kind)))
  const definitions = [...changed].filter(isDefinition)
  // Grants follow from the roles of a business.
  if (definitions.length > 0 || records.some(({ record }) => record.object_id === 'biz')) tx.demandExclusive()
  // What does not exist, and is in no business, has no row that a concurrent undo of the same record would wait for.
  if (records.some(({ changes }) => changes.some(isOutside))) tx.demandExclusive()
  const hosts = keysOf(records, 'host').map(Number)
  for (const bizId of await businessesOf(tx, records, hosts))
    await holdBusiness(tx, bizId, { tree: true, archived: true })
  await holdHosts(tx, hosts)
  await holdDetached(tx, keysOf(records, 'node'))
  const now = new Map<string, Columns>()
  for (const kind of kinds) {
    for (const [key, row] of await readLiveRows(tx, account, kind, keysOf(records, kind)))
      now.set(rowId({ kind, key }), row)
  }
  for (const kind of definitions) {
    for (const [key, row] of await readLive(tx, account, kind)) now.set(rowId({ kind, key }), row)
  }
  return new Rows(now)
}

/** Associations, and instances outside of businesses, that the record has created or deleted. */
const isOutside = ({ kind, before, after }: RowChange): boolean =>
  kind === 'instance_association' || (kind === 'node' && (!before || !after) && (before ?? after)?.biz_id === 0)

/** Existing businesses that the records name, and those in which their hosts are now. */
async function businessesOf(tx: Tx, records: readonly UndoableRecord[], hosts: readonly number[]): Promise<number[]> {
  const named = records.flatMap(({ changes }) =>
    changes.flatMap(({ before, after }) =>
      [before, after].flatMap((row) => (row && 'biz_id' in row ? [integer(row, 'biz_id')] : [])),
    ),
  )
  const current = await readLiveRows(tx, tx.actor.account, 'placement', hosts.map(String))
  const wanted = new Set([...named, ...[...current.values()].map((row) => integer(row, 'biz_id'))])
  const existing = await findAnyNodes(tx, 'biz', [...wanted])
  return existing.map((row) => row.inst_id)
}

/** Instances outside of businesses have no lock but their own. */
async function holdDetached(tx: Tx, keys: readonly string[]): Promise<void> {
  if (!tx.dialect.locksRows) return
  for (const [object, own] of Map.groupBy(keys.map(nodeOfKey), (each) => each.object)) {
    const ids = own.map(({ id }) => id)
    await selectNodes(tx, object)
      .where('node.account', '=', tx.actor.account)
      .where('node.business', 'is', null)
      .where((eb) => tx.dialect.among(eb.ref('node.inst_id'), ids, 'integer'))
      .orderBy('node.inst_id')
      .forUpdate('node')
      .execute()
  }
}
