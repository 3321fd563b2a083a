import { problem, rule } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Zone } from '../../../common/time.ts'
import { uniqueId } from '../../../common/unique-id.ts'
import { expectRevision, nextVersion, refuse, type Snapshot, type Tx } from '../../../storage/index.ts'
import { modelIn, nameText } from '../../model/index.ts'
import { joinBusiness } from '../../topology/index.ts'
import { type QueryReading, readInfo } from './info.ts'
import { findQuery, type QueryRow } from './store.ts'

/** A search by name reads the names of all. */
const maxQueriesOfBusiness = 5_000

const nameTaken = { custom_query_name: () => problem('duplicate', { what: 'name' }) }

export interface Saved {
  readonly bizId: number
  readonly name: string
  readonly info: string
}

export async function createQuery(
  tx: Tx,
  { bizId, name, info }: Saved,
  reading: QueryReading,
  id = uniqueId(),
): Promise<string> {
  const business = await joinBusiness(tx, bizId, () => problem('unknown', { field: 'bk_biz_id' }))
  await readInfo(tx, info, await modelIn(tx), reading)
  const { count } = await tx
    .selectFrom('custom_query')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('business', '=', business)
    .executeTakeFirstOrThrow()
  if (count >= maxQueriesOfBusiness)
    throw problem('tooMany', { what: rule('customQueries'), limit: maxQueriesOfBusiness })
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
    revision: 1,
  }
  await refuse(tx.insertInto('custom_query').values(row).execute(), nameTaken)
  recordQuery(tx, undefined, row, reading.zone)
  return row.id
}

interface Changes {
  readonly name?: string | null | undefined
  readonly info?: string | null | undefined
}

/** Absent and empty fields keep their values. */
export async function updateQuery(
  tx: Tx,
  bizId: number,
  id: string,
  sent: Changes,
  reading: QueryReading,
): Promise<void> {
  const { zone } = reading
  const before = await holdQuery(tx, bizId, id)
  expectRevision(tx, [before], (row) => showQuery(row, zone))
  const name = sent.name ? nameText('name', sent.name) : before.name
  const info = sent.info || before.info
  if (name === before.name && info === before.info) return
  if (info !== before.info) await readInfo(tx, info, await modelIn(tx), reading)
  const after: QueryRow = { ...before, name, info, modifier: tx.actor.user, ...nextVersion(tx, before) }
  await storeQuery(tx, before, after, zone)
}

export async function deleteQuery(tx: Tx, bizId: number, id: string, zone: Zone): Promise<void> {
  const before = await holdQuery(tx, bizId, id)
  expectRevision(tx, [before], (row) => showQuery(row, zone))
  await tx.deleteFrom('custom_query').where('id', '=', id).execute()
  recordQuery(tx, before, undefined, zone)
}

/** A query that was deleted returns as it was. Its definition is not read again: it was valid, and the model may have changed. */
export async function restoreQuery(
  tx: Tx,
  {
    bizId,
    ...stored
  }: Pick<QueryRow, 'id' | 'name' | 'info' | 'creator' | 'create_time' | 'revision'> & { bizId: number },
  zone: Zone,
): Promise<void> {
  const { account, user: modifier } = tx.actor
  // It may be archived, and be restored itself.
  const { node: business } = await tx
    .selectFrom('business')
    .select('node')
    .where('account', '=', account)
    .where('biz_id', '=', bizId)
    .executeTakeFirstOrThrow()
  const row: QueryRow = { ...stored, account, business, biz_id: bizId, modifier, last_time: tx.now }
  await refuse(tx.insertInto('custom_query').values(row).execute(), nameTaken)
  recordQuery(tx, undefined, row, zone)
}

/** Gives a query a name and a definition that it had before. */
export async function rewriteQuery(
  tx: Tx,
  bizId: number,
  id: string,
  { name, info }: Pick<QueryRow, 'name' | 'info'>,
  zone: Zone,
): Promise<void> {
  const before = await holdQuery(tx, bizId, id)
  const after: QueryRow = { ...before, name, info, modifier: tx.actor.user, ...nextVersion(tx, before) }
  await storeQuery(tx, before, after, zone)
}

async function storeQuery(tx: Tx, before: QueryRow, after: QueryRow, zone: Zone): Promise<void> {
  const { id, name, info, modifier, last_time, revision } = after
  await refuse(
    tx.updateTable('custom_query').set({ name, info, modifier, last_time, revision }).where('id', '=', id).execute(),
    nameTaken,
  )
  recordQuery(tx, before, after, zone)
}

/** Locks the query against concurrent changes and deletion. */
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
  const { id, biz_id } = present(after ?? before)
  const shown = (row: QueryRow | undefined): Snapshot | null => (row ? showQuery(row, zone) : null)
  tx.record({
    operation: !before ? 'add' : after ? 'update' : 'delete',
    object: 'userapi',
    instance: 0,
    business: biz_id,
    description: `${!before ? 'create' : after ? 'update' : 'delete'} custom query`,
    key: id,
    revision: after?.revision ?? (before?.revision ?? 0) + 1,
    before: shown(before),
    after: shown(after),
    events: [],
  })
}
