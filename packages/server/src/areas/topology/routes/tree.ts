import { defaultLimit, problem, rule, topology } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import { readFlag } from '../../../http/query.ts'
import { type Caller, handle, type Route } from '../../../http/route.ts'
import type { Storage } from '../../../storage/index.ts'
import { modelOf, objectName } from '../../model/index.ts'
import { findBusiness } from '../businesses/hold.ts'
import { chainOf } from '../levels/chain.ts'
import { createLevel, deleteLevel, type LevelRules } from '../levels/levels.ts'
import { planLevelCreation, planLevelDeletion } from '../levels/plan.ts'
import { findAnywhere } from '../tree/find.ts'
import { internalPool, treePage } from '../tree/tree.ts'

export function topologyRoutes(storage: Storage, zone: Zone, rules: LevelRules): Route[] {
  const { read, change } = storage
  const business = ({ actor, params }: { actor: Caller; params: { bk_biz_id: number } }) =>
    findBusiness(read, actor.account, params.bk_biz_id)
  const levels = { chain: 'exclusive', bulk: true } as const

  return [
    handle(topology.createLevel, async ({ actor, body, query }) => {
      const level = {
        classification: body.bk_classification_id,
        id: body.bk_obj_id,
        name: body.bk_obj_name,
        above: body.bk_asst_obj_id,
        icon: body.bk_obj_icon || 'icon-cc-default',
      }
      if (readFlag(query, 'dry_run')) {
        return planLevelCreation(storage.heavy, actor, await modelOf(read, actor.account), level, rules)
      }
      await change(actor, (tx) => createLevel(tx, level, rules, { language: 'en', zone }), levels)
      return 'success' as const
    }),
    handle(topology.deleteLevel, async ({ actor, params, query }) => {
      const model = await modelOf(read, actor.account)
      if (readFlag(query, 'dry_run')) return planLevelDeletion(storage.heavy, actor, model, params.bk_obj_id)
      await change(actor, (tx) => deleteLevel(tx, params.bk_obj_id, { language: 'en', zone }), levels)
      return 'success' as const
    }),
    handle(topology.searchChain, async ({ actor }) => {
      const model = await modelOf(read, actor.account)
      const chain = chainOf(model).map((object) => ({ id: object.id, name: objectName(object, actor.language) }))
      return chain.map(({ id, name }, index) => ({
        bk_obj_id: id,
        bk_obj_name: name,
        bk_pre_obj_id: chain[index - 1]?.id ?? '',
        bk_pre_obj_name: chain[index - 1]?.name ?? '',
        bk_next_obj: chain[index + 1]?.id ?? '',
        bk_next_name: chain[index + 1]?.name ?? '',
        bk_supplier_account: actor.account,
      }))
    }),
    handle(topology.getTree, async ({ actor, params, query }) => {
      const question = {
        language: actor.language,
        depth: readDepth(query.level),
        withDefault: readFlag(query, 'with_default'),
      }
      return treePage(storage, actor.account, await business({ actor, params }), question)
    }),
    handle(topology.getSubtree, async ({ actor, params }) => {
      const found = await business({ actor, params }).catch(() => undefined)
      if (!found) return []
      const from = { object: params.bk_obj_id, id: params.bk_inst_id }
      const question = { language: actor.language, depth: undefined, withDefault: true, from }
      return treePage(storage, actor.account, found, question)
    }),
    handle(topology.getInternal, async ({ actor, params }) =>
      internalPool(read, await business({ actor, params }), actor.language),
    ),
    handle(topology.searchNodes, async ({ actor, body }) =>
      findAnywhere(storage.heavy, await modelOf(read, actor.account), actor.language, {
        name: body.name ?? '',
        withoutHosts: body.without_hosts ?? false,
        start: body.page?.start ?? 0,
        limit: body.page?.limit ?? defaultLimit,
      }),
    ),
  ]
}

function readDepth(text: string | undefined): number | undefined {
  if (text === undefined || text === '' || text === '-1') return undefined
  if (!/^\d{1,3}$/.test(text)) throw problem('invalid', { field: 'level', rule: rule('depthOfTree') })
  return Number(text)
}
