import { type associations, type BodyOf, problem } from '@mainline/contract'
import { first } from '../../common/present.ts'
import { type Reader, refuse, type Tx } from '../../storage/index.ts'
import { modelIn, objectOf } from '../model/index.ts'

type NewInstanceAssociation = BodyOf<typeof associations.createInstanceAssociation>

/** The name of its records and events in the log. */
export const associationEvent = 'instassociation'

/** An association of two instances, with the properties of the association of their objects. */
export interface InstanceAssociation {
  readonly id: number
  readonly account: string
  readonly association: number
  readonly source_id: number
  readonly target_id: number
  readonly association_id: string
  readonly kind: string
  readonly source_object: string
  readonly target_object: string
}

export const selectInstanceAssociations = (reader: Reader, account: string) =>
  reader
    .selectFrom('instance_association')
    .innerJoin('object_association', 'object_association.id', 'instance_association.association')
    .select([
      'instance_association.id',
      'instance_association.account',
      'instance_association.association',
      'instance_association.source_id',
      'instance_association.target_id',
      'object_association.association_id',
      'object_association.kind',
      'object_association.source_object',
      'object_association.target_object',
    ])
    .where('instance_association.account', '=', account)

export const showInstanceAssociation = (row: InstanceAssociation): associations.InstanceAssociationRecord => ({
  id: row.id,
  bk_supplier_account: row.account,
  bk_obj_asst_id: row.association_id,
  bk_asst_id: row.kind,
  bk_obj_id: row.source_object,
  bk_inst_id: row.source_id,
  bk_asst_obj_id: row.target_object,
  bk_asst_inst_id: row.target_id,
})

/** The row of an instance, and the public id of its business, 0 outside any. */
interface End {
  readonly node: number | null
  readonly host: number | null
  readonly business: number
}

async function findEnd(tx: Tx, object: string, id: number): Promise<End | undefined> {
  const { account } = tx.actor
  if (object === 'host') {
    const host = await tx
      .selectFrom('host')
      .innerJoin('business', 'business.node', 'host.business')
      .select(['host.id', 'business.biz_id'])
      .where('host.account', '=', account)
      .where('host.host_id', '=', id)
      .executeTakeFirst()
    return host && { node: null, host: host.id, business: host.biz_id }
  }
  const node = await tx
    .selectFrom('node')
    .select(['id', 'biz_id'])
    .where('account', '=', account)
    .where('object_id', '=', object)
    .where('inst_id', '=', id)
    .executeTakeFirst()
  return node && { node: node.id, host: null, business: node.biz_id }
}

/** Mapping and existence are enforced by constraints, so concurrent changes cannot violate them. `restored` is the id of a deleted one. */
export async function createInstanceAssociation(
  tx: Tx,
  sent: NewInstanceAssociation,
  restored?: number,
): Promise<associations.InstanceAssociationRecord> {
  const { account } = tx.actor
  const association = await tx
    .selectFrom('object_association')
    .selectAll()
    .where('account', '=', account)
    .where('association_id', '=', sent.bk_obj_asst_id)
    .executeTakeFirst()
  if (!association) throw problem('noObjectAssociation')
  const { source_object, target_object, association_id, kind, mapping } = association
  const model = await modelIn(tx)
  if (objectOf(model, source_object).paused) throw problem('modelPaused')
  const [source_id, target_id] = [Number(sent.bk_inst_id), Number(sent.bk_asst_inst_id)]
  const noSource = () => problem('noSourceInstance', { what: `${source_object} ${source_id}` })
  const noTarget = () => problem('noTargetInstance', { what: `${target_object} ${target_id}` })
  const source = await findEnd(tx, source_object, source_id)
  if (!source) throw noSource()
  const target = await findEnd(tx, target_object, target_id)
  if (!target) throw noTarget()
  const row = {
    id: restored ?? first(await tx.drawIds('instance_association', 1)),
    account,
    association: association.id,
    source_id,
    target_id,
    source_node: source.node,
    source_host: source.host,
    target_node: target.node,
    target_host: target.host,
    single_source: mapping === '1:1' ? source_id : null,
    single_target: mapping === 'n:n' ? null : target_id,
  }
  const single = (what: string) => problem(mapping === '1:1' ? 'oneToOne' : 'oneToMany', { what })
  await refuse(tx.insertInto('instance_association').values(row).execute(), {
    instance_association_pair: () => problem('duplicate', { what: 'bk_obj_asst_id, bk_inst_id, bk_asst_inst_id' }),
    instance_association_single_source: () => single(`${source_object} ${source_id}`),
    instance_association_single_target: () => single(`${target_object} ${target_id}`),
    instance_association_source_node: noSource,
    instance_association_source_host: noSource,
    instance_association_target_node: noTarget,
    instance_association_target_host: noTarget,
    instance_association_of: () => problem('noObjectAssociation'),
  })
  const record = showInstanceAssociation({ ...row, association_id, kind, source_object, target_object })
  recordAssociation(tx, source.business, null, record)
  return record
}

export function recordAssociation(
  tx: Tx,
  business: number,
  before: associations.InstanceAssociationRecord | null,
  after: associations.InstanceAssociationRecord | null,
): void {
  tx.record({
    operation: before ? 'delete' : 'add',
    object: associationEvent,
    instance: (before ?? after)?.id ?? 0,
    business,
    description: `${before ? 'delete' : 'create'} association`,
    revision: 0,
    before,
    after,
    events: [{ name: associationEvent }],
  })
}

export async function deleteInstanceAssociation(tx: Tx, id: number): Promise<void> {
  const row = await selectInstanceAssociations(tx, tx.actor.account)
    .where('instance_association.id', '=', id)
    .executeTakeFirst()
  if (!row) throw problem('notFound')
  const source = await findEnd(tx, row.source_object, row.source_id)
  const deleted = await tx.deleteFrom('instance_association').where('id', '=', id).executeTakeFirst()
  // A concurrent change was faster.
  if (deleted.numDeletedRows === 0n) throw problem('notFound')
  recordAssociation(tx, source?.business ?? 0, showInstanceAssociation(row), null)
}
