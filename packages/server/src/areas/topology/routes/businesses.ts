import { type BodyOf, businesses, defaultLimit, type Page } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import type { Condition } from '../../../condition/condition.ts'
import { parseCondition } from '../../../condition/parse.ts'
import { type Caller, handle, type Route } from '../../../http/route.ts'
import type { Storage, Tx } from '../../../storage/index.ts'
import { modelOf, objectOf, type Showing } from '../../model/index.ts'
import {
  archiveBusiness,
  businessesOf,
  createBusiness,
  recoverBusiness,
  updateBusiness,
} from '../businesses/business.ts'
import { deleteBusiness } from '../businesses/delete-business.ts'
import { findBusiness } from '../businesses/hold.ts'
import { fieldsOf } from '../nodes/fields.ts'
import { showNode } from '../nodes/record.ts'
import { searchNodes } from '../nodes/search.ts'

export function businessRoutes(storage: Storage, zone: Zone): Route[] {
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  type One = { actor: Caller; params: { bk_biz_id: number } }
  const succeed =
    (work: (tx: Tx, bizId: number, showing: Showing) => Promise<void>, bulk = false) =>
    async ({ actor, params }: One) => {
      await storage.change(actor, (tx) => work(tx, params.bk_biz_id, showing(actor)), { bulk })
      return 'success' as const
    }

  async function search(actor: Caller, body: BodyOf<typeof businesses.searchBusiness>, pool: boolean) {
    const biz = objectOf(await modelOf(storage.read, actor.account), 'biz')
    const condition = parseCondition(body.condition ?? {}, { fields: fieldsOf(biz), zone, text: 'part' })
    const living = asksFor('bk_data_status', condition) ? 'any' : 'living'
    const page: Page = { start: 0, limit: defaultLimit, ...body.page }
    const { count, nodes } = await searchNodes(storage, {
      object: biz,
      scope: businessesOf(actor.account, pool ? 'pool' : living),
      condition,
      page,
    })
    return { count, info: nodes.map((node) => showNode(biz, node, showing(actor), body.fields)) }
  }

  return [
    handle(businesses.createBusiness, ({ actor, body }) =>
      storage.change(actor, (tx) => createBusiness(tx, body, showing(actor))),
    ),
    handle(
      businesses.updateBusiness,
      async ({ actor, params, body }) => {
        await storage.change(actor, (tx) => updateBusiness(tx, params.bk_biz_id, body, showing(actor)))
        return 'success' as const
      },
      ({ actor, params }) => findBusiness(storage.read, actor.account, params.bk_biz_id),
    ),
    handle(businesses.archiveBusiness, succeed(archiveBusiness)),
    handle(businesses.recoverBusiness, succeed(recoverBusiness)),
    handle(businesses.deleteBusiness, succeed(deleteBusiness, true)),
    handle(businesses.searchBusiness, ({ actor, body }) => search(actor, body, false)),
    handle(businesses.searchPool, ({ actor, body }) => search(actor, body, true)),
  ]
}

function asksFor(field: string, condition: Condition): boolean {
  if ('field' in condition) return condition.field === field
  if ('not' in condition) return asksFor(field, condition.not)
  return ('all' in condition ? condition.all : condition.any).some((part) => asksFor(field, part))
}
