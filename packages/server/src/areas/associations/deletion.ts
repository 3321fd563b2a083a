// The effect of associations on the deletion of instances.
import { problem } from '@mainline/contract'
import type { Reader, Tx } from '../../storage/index.ts'
import {
  type InstanceAssociation,
  recordAssociation,
  selectInstanceAssociations,
  showInstanceAssociation,
} from './instance-associations.ts'

/** Deletions that follow from others, in the same change. */
const mostDependents = 1_000

type EndTable = 'node' | 'host'

const selectOfEnds = (reader: Reader, account: string, end: EndTable, ids: readonly number[]) =>
  selectInstanceAssociations(reader, account).where((eb) =>
    eb.or([
      reader.dialect.among(eb.ref(`instance_association.source_${end}`), ids, 'integer'),
      reader.dialect.among(eb.ref(`instance_association.target_${end}`), ids, 'integer'),
    ]),
  )

const associated = ({ association_id, source_object, source_id, target_object, target_id }: InstanceAssociation) =>
  problem('instanceAssociated', {
    what: `${association_id}: ${source_object} ${source_id} -> ${target_object} ${target_id}`,
  })

/** Hosts and instances of the main line cannot be deleted while they are associated. */
export async function refuseAssociated(tx: Tx, end: EndTable, ids: readonly number[]): Promise<void> {
  const found = await selectOfEnds(tx, tx.actor.account, end, ids).limit(1).executeTakeFirst()
  if (found) throw associated(found)
}

/** The same check for all instances in a business, and for the business itself. */
export async function refuseAssociatedIn(tx: Tx, business: number): Promise<void> {
  const inside = tx
    .selectFrom('node')
    .select('id')
    .where((eb) => eb.or([eb('business', '=', business), eb('id', '=', business)]))
  const found = await selectInstanceAssociations(tx, tx.actor.account)
    .where((eb) =>
      eb.or([
        eb('instance_association.source_node', 'in', inside),
        eb('instance_association.target_node', 'in', inside),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  if (found) throw associated(found)
}

/** An association may be created while the instance is being deleted: foreign keys refuse whichever commits later. */
export function associatedMeanwhile(end: EndTable): Record<string, () => Error> {
  const refusal = () => problem('instanceAssociated', { what: 'association' })
  return { [`instance_association_source_${end}`]: refusal, [`instance_association_target_${end}`]: refusal }
}

interface Dependents {
  /** The associations that are deleted with these instances. */
  readonly associations: readonly InstanceAssociation[]
  /** Instances to be deleted with the given ones, without the given ones themselves. */
  readonly nodes: readonly number[]
}

/** Everything that is deleted with these nodes by the deletion rules; refused when a rule forbids it. */
export async function dependentsOf(reader: Reader, account: string, nodes: readonly number[]): Promise<Dependents> {
  const associations = new Map<number, InstanceAssociation>()
  const doomed = new Set(nodes)
  for (let next = nodes; next.length > 0; ) {
    const found = await selectOfEnds(reader, account, 'node', next)
      .select(['object_association.on_delete', 'instance_association.source_node', 'instance_association.target_node'])
      .orderBy('instance_association.id')
      .limit(mostDependents + 1)
      .execute()
    const forbidden = found.find(({ on_delete }) => on_delete === 'none')
    if (forbidden) throw associated(forbidden)
    for (const row of found) associations.set(row.id, row)
    const following = found.flatMap(({ on_delete, source_node, target_node }) => {
      const dependent = on_delete === 'delete_src' ? source_node : target_node
      return dependent === null || doomed.has(dependent) ? [] : [dependent]
    })
    next = [...new Set(following)]
    for (const node of next) doomed.add(node)
    if (associations.size > mostDependents) {
      throw problem('tooMany', { what: 'dependents', limit: mostDependents })
    }
  }
  return { associations: [...associations.values()], nodes: [...doomed].slice(nodes.length) }
}

/** Deletes the associations of instances outside of any business. */
export async function endAssociations(tx: Tx, ended: readonly InstanceAssociation[]): Promise<void> {
  if (ended.length === 0) return
  const ids = ended.map(({ id }) => id)
  await tx
    .deleteFrom('instance_association')
    .where((eb) => tx.dialect.among(eb.ref('id'), ids, 'integer'))
    .execute()
  for (const row of ended) recordAssociation(tx, 0, showInstanceAssociation(row), null)
}
