import { problem } from '@mainline/contract'
import type { Emitted, Tx } from '../../platform/storage/index.ts'
import { dropValues, inEnglish, type Model, modelIn, objectOf, type Showing } from '../model/index.ts'
import { builtIn } from './built-in.ts'
import { businessNode, refuseHosts } from './business.ts'
import { below } from './chain.ts'
import { holdBusiness } from './hold.ts'
import { recordDelete } from './instances.ts'
import { selectNodes } from './nodes.ts'
import { show } from './record.ts'

/** Deletes the business, living or archived, with everything in it. What users made in it is recorded one by one. */
export async function deleteBusiness(tx: Tx, bizId: number, showing: Showing): Promise<void> {
  const business = await holdBusiness(tx, bizId, { tree: true, archived: true })
  const model = await modelIn(tx)
  const node = await businessNode(tx, bizId)
  if (node.built_in === builtIn.pool) throw problem('businessProtected')
  await refuseHosts(tx, business)

  await deleteQueries(tx, business, bizId)
  const inside = await deleteInside(tx, model, business, showing)
  await tx.deleteFrom('business').where('node', '=', business).execute()
  await tx.deleteFrom('node').where('id', '=', business).execute()
  await dropValues(tx, objectOf(model, 'biz'), [business])
  tx.record({
    operation: 'delete',
    object: 'biz',
    instance: bizId,
    business: bizId,
    description: 'delete business',
    before: show(objectOf(model, 'biz'), node, inEnglish(showing)),
    after: null,
    events: [{ name: 'bizdelete' }, ...inside],
  })
}

/** Queries saved in the business go with it. */
async function deleteQueries(tx: Tx, business: number, bizId: number): Promise<void> {
  const gone = await tx.deleteFrom('custom_query').where('business', '=', business).returning(['id', 'name']).execute()
  for (const { id, name } of gone) {
    const before = { id, name, bk_biz_id: bizId }
    const what = { operation: 'delete', object: 'userapi', description: 'delete custom query' } as const
    tx.record({ ...what, instance: 0, business: bizId, key: id, before, after: null, events: [] })
  }
}

async function deleteInside(tx: Tx, model: Model, business: number, showing: Showing): Promise<Emitted[]> {
  const builtInEvents: Emitted[] = []
  for (const id of below(model, 'biz').toReversed()) {
    const object = objectOf(model, id)
    const nodes = await selectNodes(tx, id).where('node.business', '=', business).orderBy('node.inst_id').execute()
    for (const node of nodes) {
      const before = show(object, node, inEnglish(showing))
      if (node.built_in !== 0) builtInEvents.push({ name: `${id}delete`, before, after: null })
      else recordDelete(tx, node, before)
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
