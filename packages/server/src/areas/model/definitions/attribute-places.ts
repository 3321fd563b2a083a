import { type BodyOf, type model, type ParamsOf, problem } from '@mainline/contract'
import type { Tx } from '../../../storage/index.ts'
import { type AttributeRow, type Showing, showAttribute } from '../records.ts'
import { groupNamedIn, selectAttributes } from '../rows.ts'
import { altered, differs, inEnglish } from './alter.ts'

type Moves = BodyOf<typeof model.moveAttributes>['data']

/** Moves attributes to other groups of their objects or to other positions: all of them or none. */
export async function moveAttributes(tx: Tx, moves: Moves, showing: Showing): Promise<void> {
  for (const [index, { condition, data }] of moves.entries()) {
    const path = `data[${index}]`
    const row = await attributeCalled(tx, condition.bk_obj_id, condition.bk_property_id)
    if (!row) throw problem('unknown', { field: `${path}.condition.bk_property_id` })
    await moveAttribute(
      tx,
      row,
      { group: data.bk_property_group, position: data.bk_property_index },
      showing,
      `${path}.data.bk_property_group`,
    )
  }
}

/** Moves an attribute back into the default group. */
export async function removeFromGroup(
  tx: Tx,
  { bk_obj_id, bk_property_id, bk_group_id }: ParamsOf<typeof model.removeAttributeFromGroup>,
  showing: Showing,
): Promise<void> {
  const row = await attributeCalled(tx, bk_obj_id, bk_property_id)
  if (row?.group_id !== bk_group_id) throw problem('notFound')
  await moveAttribute(tx, row, { group: 'default' }, showing, 'bk_property_group')
}

const attributeCalled = (tx: Tx, object: string, id: string): Promise<AttributeRow | undefined> =>
  selectAttributes(tx, tx.actor.account)
    .where('attribute.object_id', '=', object)
    .where('attribute.attribute_id', '=', id)
    .executeTakeFirst()

async function moveAttribute(
  tx: Tx,
  row: AttributeRow,
  to: { group: string | undefined; position?: number | undefined },
  showing: Showing,
  field: string,
): Promise<void> {
  const group = await groupNamedIn(tx, field, row.object_id, to.group ?? row.group_id)
  const place = { group_id: group.group_id, position: to.position ?? row.position }
  const before = showAttribute(row, inEnglish(showing))
  const after = showAttribute(
    { ...row, ...place, group_name: group.name, group_preset: group.preset, last_time: tx.now },
    inEnglish(showing),
  )
  if (!differs(before, after)) return
  await tx
    .updateTable('attribute')
    .set({ ...place, last_time: tx.now })
    .where('id', '=', row.id)
    .execute()
  await altered(tx, { part: 'attribute', before, after })
}
