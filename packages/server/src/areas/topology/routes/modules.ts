import { type BodyOf, defaultLimit, modules, problem } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import { parseCondition } from '../../../condition/parse.ts'
import { readFlag } from '../../../http/query.ts'
import { type Caller, handle, type Route } from '../../../http/route.ts'
import type { Storage } from '../../../storage/index.ts'
import { modelAt, objectOf, type Showing } from '../../model/index.ts'
import { findBusiness } from '../businesses/hold.ts'
import { fieldsOf } from '../nodes/fields.ts'
import { createModule, deleteModule, moduleLoss, type SetOf, updateModule } from '../nodes/modules.ts'
import { findNode } from '../nodes/nodes.ts'
import { showNode } from '../nodes/record.ts'
import { searchNodes, under } from '../nodes/search.ts'

interface InSet {
  actor: Caller
  params: { bk_biz_id: number; bk_set_id: number }
}

export function moduleRoutes(storage: Storage, zone: Zone): Route[] {
  const { read, change } = storage
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  const setOf = ({ bk_biz_id, bk_set_id }: InSet['params']): SetOf => ({ bizId: bk_biz_id, setId: bk_set_id })

  async function findSet({ actor, params }: InSet) {
    const business = await findBusiness(read, actor.account, params.bk_biz_id)
    return { business, set: await findNode(read, 'set', business.node, params.bk_set_id) }
  }

  async function search(request: InSet, body: BodyOf<typeof modules.searchModule>) {
    const { actor } = request
    const { business, set } = await findSet(request)
    const module = objectOf(await modelAt(read, actor.account, business.modelVersion), 'module')
    const { count, nodes } = await searchNodes(storage, {
      object: module,
      scope: under(set.id),
      condition: parseCondition(body.condition ?? {}, { fields: fieldsOf(module), zone, text: 'whole' }),
      page: { start: 0, limit: defaultLimit, ...body.page },
      counted: { key: `count of modules of ${set.id}`, stamp: business.version },
    })
    return { count, info: nodes.map((node) => showNode(module, node, showing(actor), body.fields)) }
  }

  return [
    handle(
      modules.createModule,
      ({ actor, params, body }) => change(actor, (tx) => createModule(tx, setOf(params), body, showing(actor))),
      findSet,
    ),
    handle(
      modules.updateModule,
      async ({ actor, params, body }) => {
        await change(actor, (tx) => updateModule(tx, setOf(params), params.bk_module_id, body, showing(actor)))
        return 'success' as const
      },
      async ({ actor, params }) => {
        const { business } = await findSet({ actor, params })
        const module = await findNode(read, 'module', business.node, params.bk_module_id)
        if (module.parent_id !== params.bk_set_id) throw problem('notFound')
      },
    ),
    handle(modules.deleteModule, async ({ actor, params, query }) => {
      if (readFlag(query, 'dry_run')) return moduleLoss(storage, actor.account, setOf(params), params.bk_module_id)
      await change(actor, (tx) => deleteModule(tx, setOf(params), params.bk_module_id, showing(actor)))
      return 'success' as const
    }),
    handle(modules.searchModule, ({ body, ...request }) => search(request, body), findSet),
  ]
}
