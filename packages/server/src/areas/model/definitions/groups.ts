import { type BodyOf, type model, problem, rule } from '@mainline/contract'
import type { Spelling } from '../../../http/dialect.ts'
import type { Tx } from '../../../storage/index.ts'
import { nameText } from '../check.ts'
import { type GroupRow, type Showing, showGroup, wordsFor } from '../records.ts'
import { findGroup, objectCalled, selectAttributes, selectGroups } from '../rows.ts'
import { altered, differs, inEnglish } from './alter.ts'
import { newIdentifier, refuseTakenId, refuseTakenName, refuseTooMany, renamed } from './identifiers.ts'

const maxGroupsOfObject = 200

type NewGroup = BodyOf<typeof model.createGroup>
type GroupChanges = BodyOf<typeof model.updateGroup>['data']

export async function createGroup(tx: Tx, sent: NewGroup, showing: Showing, spelling: Spelling) {
  const { account } = tx.actor
  const object = await objectCalled(tx, account, sent.bk_obj_id)
  if (!object) throw problem('unknown', { field: 'bk_obj_id' })
  const id = newIdentifier('bk_group_id', sent.bk_group_id, spelling)
  const name = nameText('bk_group_name', sent.bk_group_name)
  const others = await groupsOfObject(tx, object.object_id)
  refuseTooMany(rule('attributeGroups'), others.length, maxGroupsOfObject)
  refuseTakenId(
    'bk_group_id',
    id,
    others.map((row) => row.group_id),
  )
  refuseTakenGroup({ name, words: undefined }, others)
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

const groupsOfObject = (tx: Tx, object: string): Promise<GroupRow[]> =>
  selectGroups(tx, tx.actor.account).where('object_id', '=', object).execute()

const refuseTakenGroup = (named: Parameters<typeof refuseTakenName>[1], others: readonly GroupRow[]) =>
  refuseTakenName(
    'bk_group_name',
    named,
    others.map((row) => ({ name: row.name, words: wordsFor.group(row) })),
  )

export async function updateGroup(tx: Tx, id: number, sent: GroupChanges, showing: Showing): Promise<void> {
  const row = await findGroup(tx, tx.actor.account, id)
  const words = wordsFor.group(row)
  const changes = {
    name: renamed('data.bk_group_name', sent.bk_group_name, row.name, words),
    position: sent.bk_group_index ?? row.position,
  }
  const before = showGroup(row, inEnglish(showing))
  const after = showGroup({ ...row, ...changes }, inEnglish(showing))
  if (!differs(before, after)) return

  const others = await groupsOfObject(tx, row.object_id)
  refuseTakenGroup(
    { name: changes.name, words },
    others.filter((other) => other.id !== id),
  )
  await tx.updateTable('attribute_group').set(changes).where('id', '=', id).execute()
  await altered(tx, { part: 'attribute group', before, after })
}

/** Only an empty group can be deleted: the caller decides where its attributes go. */
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
