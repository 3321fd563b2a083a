import { problem } from '@mainline/contract'
import type { Reader, Tx } from '../../storage/index.ts'
import type { AttributeRow, ClassificationRow, GroupRow, ObjectRow } from './records.ts'

export const selectClassifications = (reader: Reader, account: string) =>
  reader.selectFrom('classification').selectAll().where('account', '=', account).orderBy('id')

export const selectObjects = (reader: Reader, account: string) =>
  reader.selectFrom('object').selectAll().where('account', '=', account).orderBy('id')

export const selectGroups = (reader: Reader, account: string) =>
  reader.selectFrom('attribute_group').selectAll().where('account', '=', account).orderBy('position').orderBy('id')

/** Joined with the name of the group, which every attribute record contains. */
export const selectAttributes = (reader: Reader, account: string) =>
  reader
    .selectFrom('attribute')
    .innerJoin('attribute_group as in_group', (join) =>
      join
        .onRef('in_group.account', '=', 'attribute.account')
        .onRef('in_group.object_id', '=', 'attribute.object_id')
        .onRef('in_group.group_id', '=', 'attribute.group_id'),
    )
    .selectAll('attribute')
    .select(['in_group.name as group_name', 'in_group.preset as group_preset'])
    .where('attribute.account', '=', account)
    .orderBy('attribute.object_id')
    .orderBy('attribute.position')
    .orderBy('attribute.id')

const found = <Row>(row: Row | undefined): Row => {
  if (!row) throw problem('notFound')
  return row
}

export const findClassification = async (reader: Reader, account: string, id: number): Promise<ClassificationRow> =>
  found(await selectClassifications(reader, account).where('id', '=', id).executeTakeFirst())

export const findObject = async (reader: Reader, account: string, id: number): Promise<ObjectRow> =>
  found(await selectObjects(reader, account).where('id', '=', id).executeTakeFirst())

export const findGroup = async (reader: Reader, account: string, id: number): Promise<GroupRow> =>
  found(await selectGroups(reader, account).where('id', '=', id).executeTakeFirst())

export const findAttribute = async (reader: Reader, account: string, id: number): Promise<AttributeRow> =>
  found(await selectAttributes(reader, account).where('attribute.id', '=', id).executeTakeFirst())

/** The object with this identifier; undefined when there is none. */
export const objectCalled = (reader: Reader, account: string, id: string): Promise<ObjectRow | undefined> =>
  selectObjects(reader, account).where('object_id', '=', id).executeTakeFirst()

/** The group of the object that a field of the request names. */
export async function groupNamedIn(tx: Tx, field: string, object: string, id: string): Promise<GroupRow> {
  const group = await selectGroups(tx, tx.actor.account)
    .where('object_id', '=', object)
    .where('group_id', '=', id)
    .executeTakeFirst()
  if (!group) throw problem('unknown', { field })
  return group
}
