import { type BodyOf, defaultLimit, instances } from '@mainline/contract'
import { parseCondition } from '../../platform/condition/parse.ts'
import { readFlag } from '../../platform/http/query.ts'
import { type Caller, handle, type Request, type Route } from '../../platform/http/route.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { isLevel, modelOf, type Showing } from '../model/index.ts'
import { detachedIn, fieldsOf, findDetached, inLivingBusinesses, searchNodes, show } from '../topology/index.ts'
import { businessesOf, createOne, deleteAll, instanceObject, lossOfAll, updateOne } from './service.ts'

export function instanceRoutes(storage: Storage, zone: Zone): Route[] {
  const { read, change } = storage
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  const objectOf = async (account: string, id: string) => instanceObject(await modelOf(read, account), id)
  const object = ({ actor, params }: { actor: Caller; params: { bk_obj_id: string } }) =>
    objectOf(actor.account, params.bk_obj_id)

  async function remove(actor: Caller, query: Request['query'], objectId: string, ids: readonly number[]) {
    if (readFlag(query, 'dry_run')) return lossOfAll(storage, actor.account, objectId, ids)
    // However few are named, any number may stand below them.
    await change(actor, (tx) => deleteAll(tx, objectId, ids, showing(actor)), { bulk: true })
    return 'success' as const
  }

  async function search(actor: Caller, objectId: string, body: BodyOf<typeof instances.searchInstance>) {
    const { account } = actor
    const found = await objectOf(account, objectId)
    const { count, nodes } = await searchNodes(storage, {
      object: found,
      scope: isLevel(found) ? inLivingBusinesses(account) : detachedIn(account),
      condition: parseCondition(body.condition ?? {}, { fields: fieldsOf(found), zone, text: 'whole' }),
      page: { start: 0, limit: defaultLimit, ...body.page },
      counted: 'anew',
    })
    return { count, info: nodes.map((node) => show(found, node, showing(actor), body.fields)) }
  }

  return [
    handle(
      instances.createInstance,
      ({ actor, params, body }) => change(actor, (tx) => createOne(tx, params.bk_obj_id, body, showing(actor))),
      object,
    ),
    handle(
      instances.batchDeleteInstance,
      ({ actor, params, query, body }) => remove(actor, query, params.bk_obj_id, body.delete.inst_ids),
      object,
    ),
    handle(
      instances.updateInstance,
      async ({ actor, params, body }) => {
        await change(actor, (tx) => updateOne(tx, params.bk_obj_id, params.bk_inst_id, body, showing(actor)))
        return 'success' as const
      },
      async ({ actor, params: { bk_obj_id, bk_inst_id } }) => {
        const find = isLevel(await objectOf(actor.account, bk_obj_id)) ? businessesOf : findDetached
        return find(read, actor.account, bk_obj_id, [bk_inst_id])
      },
    ),
    handle(instances.deleteInstance, ({ actor, params, query }) =>
      remove(actor, query, params.bk_obj_id, [params.bk_inst_id]),
    ),
    handle(instances.searchInstance, ({ actor, params, body }) => search(actor, params.bk_obj_id, body), object),
  ]
}
