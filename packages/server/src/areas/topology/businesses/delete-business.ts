import { problem } from '@mainline/contract'
import {
  type Emitted,
  expectRevision,
  slicesBySize,
  type Tx,
  textBytes,
  unshownValues,
} from '../../../storage/index.ts'
import { refuseAssociatedIn } from '../../associations/index.ts'
import { dropValues, inEnglish, type Model, modelIn, objectOf, type Showing } from '../../model/index.ts'
import { objectsBelow } from '../levels/chain.ts'
import { builtIn } from '../nodes/built-in.ts'
import { recordDelete } from '../nodes/instances.ts'
import { selectNodes } from '../nodes/nodes.ts'
import { showNode } from '../nodes/record.ts'
import { businessNode, refuseHosts } from './business.ts'
import { holdBusiness } from './hold.ts'

/** Deletes the business, archived or not, with everything in it. Each user-defined instance gets an audit record. */
export async function deleteBusiness(tx: Tx, bizId: number, showing: Showing): Promise<void> {
  const business = await holdBusiness(tx, bizId, { tree: true, archived: true })
  const model = await modelIn(tx)
  const node = await businessNode(tx, bizId)
  if (node.built_in === builtIn.pool) throw problem('businessProtected')
  expectRevision(tx, [node], (each) => showNode(objectOf(model, 'biz'), each, showing))
  await refuseHosts(tx, business)
  await refuseAssociatedIn(tx, business)

  await deleteQueries(tx, business, bizId)
  const inside = await deleteInside(tx, model, business, showing)
  await tx.deleteFrom('business').where('node', '=', business).execute()
  await tx.deleteFrom('node').where('id', '=', business).execute()
  await dropValues(tx, objectOf(model, 'biz'), [business])
  const before = showNode(objectOf(model, 'biz'), node, inEnglish(showing))
  tx.record({
    operation: 'delete',
    object: 'biz',
    instance: bizId,
    business: bizId,
    description: 'delete business',
    revision: node.revision + 1,
    before,
    after: null,
    unshown: unshownValues([node, before], null),
    events: [{ name: 'bizdelete' }, ...inside],
  })
}

/** Definitions of queries that a change keeps in memory until it ends. */
const maxKeptBytes = 8 * 1024 * 1024

/** Saved queries of the business are deleted with it, and recorded as a whole. */
async function deleteQueries(tx: Tx, business: number, bizId: number): Promise<void> {
  const sizes = await tx
    .selectFrom('custom_query')
    .select(['id', textBytes('info').as('bytes')])
    .where('business', '=', business)
    .orderBy('id')
    .execute()
  const isLarge = sizes.reduce((sum, { bytes }) => sum + bytes, 0) > maxKeptBytes
  if (isLarge) tx.demandExclusive()
  for (const slice of slicesBySize(sizes, 1_000)) {
    const ids = slice.map(({ id }) => id)
    const gone = await tx
      .deleteFrom('custom_query')
      .where((eb) => tx.dialect.among(eb.ref('id'), ids, 'text'))
      .returningAll()
      .execute()
    for (const { id, name, revision, business: _, account: __, biz_id: ___, ...rest } of gone) {
      tx.record({
        operation: 'delete',
        object: 'userapi',
        instance: 0,
        business: bizId,
        description: 'delete custom query',
        key: id,
        revision: revision + 1,
        before: { id, name, bk_biz_id: bizId },
        after: null,
        unshown: { before: rest },
        events: [],
      })
    }
    if (isLarge) await tx.flush()
  }
}

async function deleteInside(tx: Tx, model: Model, business: number, showing: Showing): Promise<Emitted[]> {
  const builtInEvents: Emitted[] = []
  for (const id of objectsBelow(model, 'biz').toReversed()) {
    const object = objectOf(model, id)
    const nodes = await selectNodes(tx, id).where('node.business', '=', business).orderBy('node.inst_id').execute()
    for (const node of nodes) {
      const before = showNode(object, node, inEnglish(showing))
      if (node.built_in === 0) recordDelete(tx, node, before)
      else {
        const unshown = unshownValues([node, before], null)
        builtInEvents.push({ name: `${id}delete`, before, after: null, revision: node.revision + 1, unshown })
      }
    }
    await tx.deleteFrom('node').where('business', '=', business).where('object_id', '=', id).execute()
    await dropValues(
      tx,
      object,
      nodes.map((node) => node.id),
    )
  }
  return builtInEvents
}
