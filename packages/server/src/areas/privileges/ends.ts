// Associations are judged by the instances at their ends.
import { type Allow, anyone, inBusiness, ofHosts, ofInstances } from '@mainline/contract'
import type { Reader } from '../../storage/index.ts'
import type { JudgedRequest } from './demand.ts'

/** Searchable by any caller. */
export const openToAll: readonly string[] = ['biz', 'set', 'module', 'host']

interface End {
  readonly object: string
  readonly id: number
  readonly above: string | null
}

interface Ends {
  readonly source: End
  readonly target: End
}

type AssociationAllow = Extract<Allow, { need: 'association' }>
export type AssociationRequest = JudgedRequest & { readonly allow: AssociationAllow }

export const isAboutAssociation = (asked: JudgedRequest): asked is AssociationRequest =>
  asked.allow.need === 'association'

/**
 * To associate is to update the source, and discloses that the target exists: both must be allowed. To remove an association is to update
 * either end, so that the owner of an instance can remove associations that others have added to it. A request that names
 * no association passes the guard, and is refused as not found.
 */
export async function requestsAtEnds(
  reader: Reader,
  account: string,
  asked: AssociationRequest,
): Promise<{ readonly of: 'all' | 'any'; readonly requests: readonly JudgedRequest[] }> {
  const isNew = asked.allow.in === 'body'
  const ends = await (isNew ? endsInBody : endsInPath)(reader, account, asked)
  if (!ends) return { of: 'all', requests: [{ allow: anyone, params: {}, body: {} }] }
  const { source, target } = ends
  return isNew
    ? { of: 'all', requests: [updateOf(source), ...searchOf(target)] }
    : { of: 'any', requests: [updateOf(source), updateOf(target)] }
}

function updateOf({ object, id, above }: End): JudgedRequest {
  if (object === 'host') return { allow: ofHosts('hostupdate'), params: {}, body: { bk_host_id: id } }
  if (object === 'biz') return { allow: inBusiness('topoupdate'), params: { bk_biz_id: id }, body: {} }
  const params = { bk_obj_id: object, bk_inst_id: id }
  return { allow: ofInstances('update'), params, body: {}, onMainLine: above !== null }
}

const searchOf = ({ object, above }: End): JudgedRequest[] =>
  openToAll.includes(object) || above !== null
    ? []
    : [{ allow: ofInstances('search'), params: { bk_obj_id: object }, body: {} }]

const selectObjects = (reader: Reader, account: string) =>
  reader
    .selectFrom('object_association')
    .innerJoin('object as source', (join) =>
      join
        .onRef('source.account', '=', 'object_association.account')
        .onRef('source.object_id', '=', 'object_association.source_object'),
    )
    .innerJoin('object as target', (join) =>
      join
        .onRef('target.account', '=', 'object_association.account')
        .onRef('target.object_id', '=', 'object_association.target_object'),
    )
    .select(['source_object', 'target_object', 'source.above as above_source', 'target.above as above_target'])
    .where('object_association.account', '=', account)

interface ObjectsRow {
  readonly source_object: string
  readonly target_object: string
  readonly above_source: string | null
  readonly above_target: string | null
}

const endsOf = (row: ObjectsRow, source: number, target: number): Ends => ({
  source: { object: row.source_object, id: source, above: row.above_source },
  target: { object: row.target_object, id: target, above: row.above_target },
})

async function endsInPath(reader: Reader, account: string, { params }: JudgedRequest): Promise<Ends | undefined> {
  const id = Number(params.association_id)
  if (!Number.isSafeInteger(id)) return undefined
  const row = await selectObjects(reader, account)
    .innerJoin('instance_association', 'instance_association.association', 'object_association.id')
    .select(['source_id', 'target_id'])
    .where('instance_association.id', '=', id)
    .executeTakeFirst()
  return row && endsOf(row, row.source_id, row.target_id)
}

async function endsInBody(reader: Reader, account: string, { body }: JudgedRequest): Promise<Ends | undefined> {
  const sent: Readonly<Record<string, unknown>> = typeof body === 'object' && body !== null ? { ...body } : {}
  const [association, source] = [sent.bk_obj_asst_id, Number(sent.bk_inst_id)]
  if (typeof association !== 'string' || association.includes('\0') || !Number.isSafeInteger(source)) return undefined
  const row = await selectObjects(reader, account)
    .where('object_association.association_id', '=', association)
    .executeTakeFirst()
  return row && endsOf(row, source, Number(sent.bk_asst_inst_id))
}
