import { problem } from '@mainline/contract'
import { refuse, type Snapshot, type Tx } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { uniqueId } from '../../platform/unique-id.ts'
import { modelIn, nameText } from '../model/index.ts'
import { joinBusiness } from '../topology/index.ts'
import { readInfo } from './info.ts'
import { findQuery, type QueryRow } from './store.ts'

const nameTaken = { custom_query_name: () => problem('duplicate', { what: 'name' }) }

export interface Saved {
  readonly bizId: number
  readonly name: string
  readonly info: string
}

export async function createQuery(tx: Tx, { bizId, name, info }: Saved, zone: Zone, id = uniqueId()): Promise<string> {
  const business = await joinBusiness(tx, bizId, () => problem('unknown', { field: 'bk_biz_id' }))
  readInfo(info, await modelIn(tx), zone)
  const row: QueryRow = {
    id,
    account: tx.actor.account,
    business,
    biz_id: bizId,
    name: nameText('name', name),
    info,
    creator: tx.actor.user,
    create_time: tx.now,
    modifier: '',
    last_time: 0,
  }
  await refuse(tx.insertInto('custom_query').values(row).execute(), nameTaken)
  recordQuery(tx, undefined, row, zone)
  return row.id
}

export interface Changes {
  readonly name?: string | null | undefined
  readonly info?: string | null | undefined
}

/** What is absent or empty stays. */
export async function updateQuery(tx: Tx, bizId: number, id: string, sent: Changes, zone: Zone): Promise<void> {
  const before = await holdQuery(tx, bizId, id)
  const name = sent.name ? nameText('name', sent.name) : before.name
  const info = sent.info || before.info
  if (name === before.name && info === before.info) return
  if (info !== before.info) readInfo(info, await modelIn(tx), zone)
  const after: QueryRow = { ...before, name, info, modifier: tx.actor.user, last_time: tx.now }
  const { modifier, last_time } = after
  await refuse(
    tx.updateTable('custom_query').set({ name, info, modifier, last_time }).where('id', '=', id).execute(),
    nameTaken,
  )
  recordQuery(tx, before, after, zone)
}

export async function deleteQuery(tx: Tx, bizId: number, id: string, zone: Zone): Promise<void> {
  const before = await holdQuery(tx, bizId, id)
  await tx.deleteFrom('custom_query').where('id', '=', id).execute()
  recordQuery(tx, before, undefined, zone)
}

/** Nobody else changes or deletes it meanwhile. */
async function holdQuery(tx: Tx, bizId: number, id: string): Promise<QueryRow> {
  const business = await joinBusiness(tx, bizId, () => problem('notFound'))
  if (!tx.dialect.locksRows) return findQuery(tx, business, id)
  const held = await tx
    .selectFrom('custom_query')
    .selectAll()
    .where('business', '=', business)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!held) throw problem('notFound')
  return held
}

export const showQuery = (row: QueryRow, zone: Zone) => ({
  id: row.id,
  bk_biz_id: row.biz_id,
  name: row.name,
  info: row.info,
  create_time: zone.write(row.create_time),
  create_user: row.creator,
  last_time: row.last_time === 0 ? '' : zone.write(row.last_time),
  modify_user: row.modifier,
})

function recordQuery(tx: Tx, before: QueryRow | undefined, after: QueryRow | undefined, zone: Zone): void {
  const { id, biz_id } = (after ?? before) as QueryRow
  const shown = (row: QueryRow | undefined): Snapshot | null => (row ? showQuery(row, zone) : null)
  tx.record({
    operation: !before ? 'add' : after ? 'update' : 'delete',
    object: 'userapi',
    instance: 0,
    business: biz_id,
    description: `${!before ? 'create' : after ? 'update' : 'delete'} custom query`,
    key: id,
    before: shown(before),
    after: shown(after),
    events: [],
  })
}
