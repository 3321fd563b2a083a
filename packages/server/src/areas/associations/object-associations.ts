import { type associations, type BodyOf, problem, rule } from '@mainline/contract'
import type { Selectable } from 'kysely'
import { first } from '../../common/present.ts'
import { type Reader, refuse, type Tables, type Tx } from '../../storage/index.ts'
import { altered, differs, type Model, modelIn, type ObjectModel, plainText, refuseTooMany } from '../model/index.ts'
import { mainLineKind, readKinds } from './kinds.ts'

export type ObjectAssociation = Selectable<Tables['object_association']>

type NewObjectAssociation = BodyOf<typeof associations.createObjectAssociation>
type AssociationChanges = BodyOf<typeof associations.updateObjectAssociation>

export const selectObjectAssociations = (reader: Reader, account: string) =>
  reader.selectFrom('object_association').selectAll().where('account', '=', account).orderBy('id')

/** Associations of the main line are derived from the levels; their ids are the negative ids of the lower objects. */
export async function readObjectAssociations(
  reader: Reader,
  account: string,
): Promise<associations.ObjectAssociationRecord[]> {
  const levels = await reader
    .selectFrom('object')
    .select(['id', 'object_id', 'above'])
    .where('account', '=', account)
    .where('above', 'is not', null)
    .where('above', '<>', '')
    .orderBy('id')
    .execute()
  const own = await selectObjectAssociations(reader, account).execute()
  return [
    ...levels.map(({ id, object_id, above }) =>
      shown({
        id: -id,
        account,
        association_id: idOf(object_id, mainLineKind, above ?? ''),
        name: '',
        source_object: object_id,
        target_object: above ?? '',
        kind: mainLineKind,
        mapping: 'n:n',
        on_delete: 'none',
      }),
    ),
    ...own.map(shown),
  ]
}

const shown = (row: ObjectAssociation): associations.ObjectAssociationRecord => ({
  id: row.id,
  bk_supplier_account: row.account,
  bk_obj_asst_id: row.association_id,
  bk_obj_asst_name: row.name,
  bk_obj_id: row.source_object,
  bk_asst_obj_id: row.target_object,
  bk_asst_id: row.kind,
  mapping: row.mapping,
  on_delete: row.on_delete,
  ispre: row.id < 0,
})

export { shown as showObjectAssociation }

export const objectAssociationFields = {
  id: 'integer',
  bk_supplier_account: 'text',
  bk_obj_asst_id: 'text',
  bk_obj_asst_name: 'text',
  bk_obj_id: 'text',
  bk_asst_obj_id: 'text',
  bk_asst_id: 'text',
  mapping: 'text',
  on_delete: 'text',
  ispre: 'boolean',
} as const

const idOf = (source: string, kind: string, target: string) => `${source}_${kind}_${target}`
const longestName = 256
/** Of an account: every search of associations goes through them. */
const maxObjectAssociations = 1_000

export async function createObjectAssociation(
  tx: Tx,
  sent: NewObjectAssociation,
): Promise<associations.ObjectAssociationRecord> {
  const { account } = tx.actor
  const model = await modelIn(tx)
  const source = objectNamed(model, 'bk_obj_id', sent.bk_obj_id)
  const target = objectNamed(model, 'bk_asst_obj_id', sent.bk_asst_obj_id)
  await refuseKind(tx, sent.bk_asst_id)
  const row: ObjectAssociation = {
    id: first(await tx.drawIds('object_association', 1)),
    account,
    association_id: plainText(
      'bk_obj_asst_id',
      sent.bk_obj_asst_id || idOf(source.id, sent.bk_asst_id, target.id),
      longestName,
    ),
    name: plainText('bk_obj_asst_name', sent.bk_obj_asst_name ?? '', longestName),
    source_object: source.id,
    target_object: target.id,
    kind: sent.bk_asst_id,
    mapping: sent.mapping ?? 'n:n',
    on_delete: sent.on_delete ?? 'none',
  }
  refuseCascade(model, row)
  const refusals = taken(row)
  const others = await readObjectAssociations(tx, account)
  refuseTooMany(rule('objectAssociations'), others.filter(({ ispre }) => !ispre).length, maxObjectAssociations)
  const isSame = (each: associations.ObjectAssociationRecord) =>
    each.bk_obj_id === source.id && each.bk_asst_obj_id === target.id && each.bk_asst_id === row.kind
  if (others.some(isSame)) throw refusals.object_association_pair()
  // Derived associations need an identifier, too.
  if (others.some((each) => each.bk_obj_asst_id === row.association_id)) throw refusals.object_association_key()
  await refuse(tx.insertInto('object_association').values(row).execute(), refusals)
  await altered(tx, { part: 'object association', after: shown(row) })
  return shown(row)
}

const taken = ({ source_object: source, target_object: target }: ObjectAssociation) => ({
  object_association_pair: () => problem('objectsAssociated', { source, target }),
  object_association_key: () => problem('duplicate', { what: 'bk_obj_asst_id' }),
})

function objectNamed(model: Model, field: string, id: string): ObjectModel {
  const object = model.objects.get(id)
  if (!object) throw problem('unknown', { field, rule: rule('noObject', { object: id }) })
  return object
}

async function refuseKind(tx: Tx, kind: string): Promise<void> {
  if (kind === mainLineKind) throw problem('mainLineKind')
  const known = await readKinds(tx, tx.actor.account)
  if (known.some((each) => each.kind === kind)) return
  throw problem('unknown', { field: 'bk_asst_id' })
}

/** A cascading deletion must not delete parts of a business. */
function refuseCascade(model: Model, { on_delete, source_object, target_object }: ObjectAssociation): void {
  if (on_delete === 'none') return
  const doomed = objectNamed(model, 'on_delete', on_delete === 'delete_src' ? source_object : target_object)
  if (doomed.above !== null || ['host', 'plat', 'process'].includes(doomed.id)) {
    throw problem('invalid', { field: 'on_delete', rule: rule('cascadeEnd') })
  }
}

export async function findObjectAssociation(reader: Reader, account: string, id: number): Promise<ObjectAssociation> {
  const found = await selectObjectAssociations(reader, account).where('id', '=', id).executeTakeFirst()
  if (!found) throw problem('noObjectAssociation')
  return found
}

const fixed = ['id', 'bk_supplier_account', 'bk_obj_asst_id', 'bk_obj_id', 'bk_asst_obj_id', 'mapping', 'ispre']

export async function updateObjectAssociation(
  tx: Tx,
  id: number,
  sent: AssociationChanges & Readonly<Record<string, unknown>>,
): Promise<void> {
  const row = await findObjectAssociation(tx, tx.actor.account, id)
  const record: Readonly<Record<string, unknown>> = shown(row)
  const refused = fixed.find((field) => !['', null, undefined, record[field]].includes(sent[field] as string))
  if (refused !== undefined) throw problem('associationFixed', { field: refused })
  const changes = {
    name: plainText('bk_obj_asst_name', sent.bk_obj_asst_name ?? row.name, longestName),
    kind: sent.bk_asst_id || row.kind,
    on_delete: sent.on_delete ?? row.on_delete,
  }
  const changed = { ...row, ...changes }
  if (!differs(shown(row), shown(changed))) return
  if (changes.kind !== row.kind) await refuseKind(tx, changes.kind)
  refuseCascade(await modelIn(tx), changed)
  await refuse(tx.updateTable('object_association').set(changes).where('id', '=', id).execute(), taken(changed))
  await altered(tx, { part: 'object association', before: shown(row), after: shown(changed) })
}

export async function deleteObjectAssociation(tx: Tx, id: number): Promise<void> {
  const row = await findObjectAssociation(tx, tx.actor.account, id)
  const used = await tx
    .selectFrom('instance_association')
    .select('id')
    .where('association', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (used) throw problem('associationInUse')
  await refuse(tx.deleteFrom('object_association').where('id', '=', id).execute(), {
    instance_association_of: () => problem('associationInUse'),
  })
  await altered(tx, { part: 'object association', before: shown(row) })
}

/** Inserts and records an association of objects that was deleted. */
export async function restoreObjectAssociation(tx: Tx, association: Omit<ObjectAssociation, 'account'>): Promise<void> {
  const row: ObjectAssociation = { ...association, account: tx.actor.account }
  await refuseKind(tx, row.kind)
  await refuse(tx.insertInto('object_association').values(row).execute(), taken(row))
  await altered(tx, { part: 'object association', after: shown(row) })
}
