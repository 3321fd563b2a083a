import { type BodyOf, sets } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import { parseCondition } from '../../../condition/parse.ts'
import { Page } from '../../../http/page.ts'
import { readFlag } from '../../../http/query.ts'
import { type Caller, handle, type Request, type Route } from '../../../http/route.ts'
import { cached, type Storage } from '../../../storage/index.ts'
import { modelAt, objectOf, type Showing } from '../../model/index.ts'
import { type Business, findBusiness } from '../businesses/hold.ts'
import { fieldsOf } from '../nodes/fields.ts'
import { findNode } from '../nodes/nodes.ts'
import { showNode } from '../nodes/record.ts'
import { inBusiness, searchNodes } from '../nodes/search.ts'
import { createSet, deleteSets, lossOfSets, updateSet } from '../nodes/sets.ts'

/** Longer conditions are rarely repeated, so their answers are not cached. */
const maxCachedBytes = 2_000

export function setRoutes(storage: Storage, zone: Zone): Route[] {
  const { read, change } = storage
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  const business = ({ actor, params }: { actor: Caller; params: { bk_biz_id: number } }) =>
    findBusiness(read, actor.account, params.bk_biz_id)

  async function search(actor: Caller, { node, version, modelVersion }: Business, body: BodyOf<typeof sets.searchSet>) {
    const set = objectOf(await modelAt(read, actor.account, modelVersion), 'set')
    const { count, nodes } = await searchNodes(storage, {
      object: set,
      scope: inBusiness(node),
      condition: parseCondition(body.condition, { fields: fieldsOf(set), zone, text: 'whole' }),
      page: body.page,
      counted: { key: `count of sets of ${node}`, stamp: version },
    })
    return { count, info: nodes.map((each) => showNode(set, each, showing(actor), body.fields)) }
  }

  async function remove(actor: Caller, query: Request['query'], bizId: number, ids: readonly number[]) {
    if (readFlag(query, 'dry_run')) return lossOfSets(storage, actor.account, bizId, ids)
    await change(actor, (tx) => deleteSets(tx, bizId, ids, showing(actor)), { bulk: ids.length > 20 })
    return 'success' as const
  }

  return [
    handle(
      sets.createSet,
      ({ actor, params, body }) =>
        change(actor, (tx) => createSet(tx, params.bk_biz_id, Number(body.bk_parent_id), body, showing(actor))),
      business,
    ),
    handle(
      sets.batchDeleteSet,
      ({ actor, params, query, body }) => remove(actor, query, params.bk_biz_id, body.delete.inst_ids),
      business,
    ),
    handle(sets.deleteSet, ({ actor, params, query }) => remove(actor, query, params.bk_biz_id, [params.bk_set_id])),
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
        const found = await business({ actor, params })
        const asked = JSON.stringify(body)
        const key = `sets of ${found.node} in ${actor.language}: ${asked}`
        // Every change in the business and of the model changes this stamp.
        const stamp = `${found.version} ${found.modelVersion}`
        const load = async () => new Page(await search(actor, found, body))
        return asked.length <= maxCachedBytes ? cached(read, key, stamp, load) : load()
      },
      business,
    ),
  ]
}
