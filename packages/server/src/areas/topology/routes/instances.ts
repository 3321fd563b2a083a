import { associations, type BodyOf, defaultLimit, instances, problem, rule } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import { parseCondition } from '../../../condition/parse.ts'
import { readFlag } from '../../../http/query.ts'
import { type Caller, handle, type Request, type Route } from '../../../http/route.ts'
import type { Storage } from '../../../storage/index.ts'
import { visibleTo } from '../../associations/index.ts'
import { isLevel, modelOf, type Showing } from '../../model/index.ts'
import type { HiddenObjects, MissingDeleteGrant, MissingSearchGrant } from '../../privileges/index.ts'
import { createOne, deleteAll, idsByBusiness, instanceObject, lossOfAll, updateOne } from '../nodes/any-object.ts'
import { allOf, asConditions, associatedWith, mostOtherObjects } from '../nodes/by-association.ts'
import { detachedIn, findDetached } from '../nodes/detached.ts'
import { fieldsOf } from '../nodes/fields.ts'
import { showNode } from '../nodes/record.ts'
import { inLivingBusinesses, searchNodes } from '../nodes/search.ts'

export interface InstanceRights {
  readonly lacksSearch: MissingSearchGrant
  readonly lacksDelete: MissingDeleteGrant
  readonly hidden: HiddenObjects
}

export function instanceRoutes(storage: Storage, zone: Zone, rights: InstanceRights): Route[] {
  const { read, change } = storage
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  const objectOf = async (account: string, id: string) => instanceObject(await modelOf(read, account), id)
  const object = ({ actor, params }: { actor: Caller; params: { bk_obj_id: string } }) =>
    objectOf(actor.account, params.bk_obj_id)

  async function remove(actor: Caller, query: Request['query'], objectId: string, ids: readonly number[]) {
    const { lacksDelete } = rights
    if (readFlag(query, 'dry_run')) return lossOfAll(storage, actor, objectId, ids, lacksDelete)
    // Few instances may have any number below them.
    await change(actor, (tx) => deleteAll(tx, objectId, ids, showing(actor), lacksDelete), { bulk: true })
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
    return { count, info: nodes.map((node) => showNode(found, node, showing(actor), body.fields)) }
  }

  async function searchByAssociation(
    actor: Caller,
    objectId: string,
    { condition = {}, fields = {}, page }: BodyOf<typeof associations.searchByAssociation>,
  ) {
    const model = await modelOf(read, actor.account)
    const all = asConditions(condition[objectId] ?? [])
    const others = Object.entries(condition).filter(([other, tests]) => other !== objectId && tests.length > 0)
    if (others.length > mostOtherObjects)
      throw problem('tooMany', { what: rule('otherObjects'), limit: mostOtherObjects })
    const visible = others.length > 0 ? await visibleTo(storage, actor, rights.hidden) : []
    const looking = { actor, model, zone, lacks: rights.lacksSearch, visible }
    for (const [other, tests] of others) {
      const ids = await associatedWith(storage, looking, objectId, other, tests)
      all.push({ bk_inst_id: { $in: ids } })
    }
    const found = { condition: allOf(all), fields: fields[objectId] ?? [], ...(page && { page }) }
    return search(actor, objectId, found)
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
        const find = isLevel(await objectOf(actor.account, bk_obj_id)) ? idsByBusiness : findDetached
        return find(read, actor.account, bk_obj_id, [bk_inst_id])
      },
    ),
    handle(instances.deleteInstance, ({ actor, params, query }) =>
      remove(actor, query, params.bk_obj_id, [params.bk_inst_id]),
    ),
    handle(instances.searchInstance, ({ actor, params, body }) => search(actor, params.bk_obj_id, body), object),
    handle(
      associations.searchByAssociation,
      ({ actor, params, body }) => searchByAssociation(actor, params.bk_obj_id, body),
      object,
    ),
  ]
}
