import { sets } from '@mainline/contract'
import { parseCondition } from '../../platform/condition/parse.ts'
import { type Caller, handle, type Route } from '../../platform/http/route.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { modelAt, objectOf } from '../model/index.ts'
import { fieldsOf, findBusiness, findNode, inBusiness, type Showing, searchNodes, show } from '../topology/index.ts'
import { createSet, deleteSets, updateSet } from './service.ts'

export function setRoutes({ read, change, ...storage }: Storage, zone: Zone): Route[] {
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  const business = ({ actor, params }: { actor: Caller; params: { bk_biz_id: number } }) =>
    findBusiness(read, actor.account, params.bk_biz_id)

  return [
    handle(
      sets.createSet,
      ({ actor, params, body }) =>
        change(actor, (tx) => createSet(tx, params.bk_biz_id, Number(body.bk_parent_id), body, showing(actor))),
      business,
    ),
    handle(
      sets.batchDeleteSet,
      async ({ actor, params, body }) => {
        const ids = body.delete.inst_ids
        await change(actor, (tx) => deleteSets(tx, params.bk_biz_id, ids, showing(actor)), { bulk: ids.length > 20 })
        return 'success' as const
      },
      business,
    ),
    handle(sets.deleteSet, async ({ actor, params }) => {
      await change(actor, (tx) => deleteSets(tx, params.bk_biz_id, [params.bk_set_id], showing(actor)))
      return 'success' as const
    }),
    handle(
      sets.updateSet,
      async ({ actor, params, body }) => {
        await change(actor, (tx) => updateSet(tx, params.bk_biz_id, params.bk_set_id, body, showing(actor)))
        return 'success' as const
      },
      async ({ actor, params }) => findNode(read, 'set', (await business({ actor, params })).node, params.bk_set_id),
    ),
    handle(
      sets.searchSet,
      async ({ actor, params, body }) => {
        const { node, version, modelVersion } = await business({ actor, params })
        const set = objectOf(await modelAt(read, actor.account, modelVersion), 'set')
        const { count, nodes } = await searchNodes(
          { read, change, ...storage },
          {
            object: set,
            scope: inBusiness(node),
            condition: parseCondition(body.condition, { fields: fieldsOf(set), zone, text: 'whole' }),
            page: body.page,
            counted: { key: `sets of ${node}`, stamp: version },
          },
        )
        return { count, info: nodes.map((each) => show(set, each, showing(actor), body.fields)) }
      },
      business,
    ),
  ]
}
