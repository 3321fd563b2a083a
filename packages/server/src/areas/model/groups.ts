import { type BodyOf, type model, problem, rule } from '@mainline/contract'
import { lettersOnly } from '../../platform/http/compat.ts'
import type { Tx } from '../../platform/storage/index.ts'
import { altered, differs, inEnglish } from './alter.ts'
import { nameText } from './check.ts'
import { newIdentifier, refuseTakenId, refuseTakenName, renamed } from './identifiers.ts'
import { type GroupRow, type Showing, showGroup, wordsFor } from './records.ts'
import { findGroup, objectCalled, selectAttributes, selectGroups } from './rows.ts'

type New = BodyOf<typeof model.createGroup>
type Changes = BodyOf<typeof model.updateGroup>['data']

export async function createGroup(tx: Tx, sent: New, showing: Showing) {
  const { account } = tx.actor
  const object = await objectCalled(tx, account, sent.bk_obj_id)
  if (!object) throw problem('unknown', { field: 'bk_obj_id' })
  const id = newIdentifier('bk_group_id', sent.bk_group_id, lettersOnly)
  const name = nameText('bk_group_name', sent.bk_group_name)
  const others = await groupsOf(tx, object.object_id)
  refuseTakenId(
    'bk_group_id',
    id,
    others.map((row) => row.group_id),
  )
  refuseTaken({ name, words: undefined }, others)
  const row = await tx
    .insertInto('attribute_group')
    .values({
      account,
      object_id: object.object_id,
      group_id: id,
      name,
      position: sent.bk_group_index ?? Math.max(-1, ...others.map((other) => other.position)) + 1,
      preset: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await altered(tx, { part: 'attribute group', after: showGroup(row, inEnglish(showing)) })
  return showGroup(row, showing)
}

const groupsOf = (tx: Tx, object: string): Promise<GroupRow[]> =>
  selectGroups(tx, tx.actor.account).where('object_id', '=', object).execute()

const refuseTaken = (named: Parameters<typeof refuseTakenName>[1], others: readonly GroupRow[]) =>
  refuseTakenName(
    'bk_group_name',
    named,
    others.map((row) => ({ name: row.name, words: wordsFor.group(row) })),
  )

export async function updateGroup(tx: Tx, id: number, sent: Changes, showing: Showing): Promise<void> {
  const row = await findGroup(tx, tx.actor.account, id)
  const words = wordsFor.group(row)
  const changes = {
    name: renamed('data.bk_group_name', sent.bk_group_name, row.name, words),
    position: sent.bk_group_index ?? row.position,
  }
  const before = showGroup(row, inEnglish(showing))
  const after = showGroup({ ...row, ...changes }, inEnglish(showing))
  if (!differs(before, after)) return

  const others = await groupsOf(tx, row.object_id)
  refuseTaken(
    { name: changes.name, words },
    others.filter((other) => other.id !== id),
  )
  await tx.updateTable('attribute_group').set(changes).where('id', '=', id).execute()
  await altered(tx, { part: 'attribute group', before, after })
}

/** Only an empty group goes: where its attributes should be is for the caller to say. */
export async function deleteGroup(tx: Tx, id: number, showing: Showing): Promise<void> {
  const row = await findGroup(tx, tx.actor.account, id)
  if (row.preset) throw problem('attributeGroupNotDeleted', { why: rule('preset') })
  const inside = await selectAttributes(tx, tx.actor.account)
    .where('attribute.object_id', '=', row.object_id)
    .where('attribute.group_id', '=', row.group_id)
    .execute()
  if (inside.length > 0) {
    const values = inside.map((attribute) => attribute.attribute_id).join(', ')
    throw problem('attributeGroupNotDeleted', { why: rule('holdsAttributes', { values }) })
  }
  await tx.deleteFrom('attribute_group').where('id', '=', id).execute()
  await altered(tx, { part: 'attribute group', before: showGroup(row, inEnglish(showing)) })
}
