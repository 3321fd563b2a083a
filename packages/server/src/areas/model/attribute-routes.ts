import { model, problem, uniques } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import type { Spelling } from '../../http/dialect.ts'
import { type Caller, handle, type Route } from '../../http/route.ts'
import type { Storage, Tx } from '../../storage/index.ts'
import { moveAttributes, removeFromGroup } from './definitions/attribute-places.ts'
import { createAttribute, deleteAttribute, updateAttribute } from './definitions/attributes.ts'
import { createGroup, deleteGroup, updateGroup } from './definitions/groups.ts'
import { type Showing, showAttribute, showGroup } from './records.ts'
import { findAttribute, objectCalled, selectAttributes, selectGroups } from './rows.ts'
import { matchAttributes } from './search.ts'
import { createUnique, deleteUnique, updateUnique } from './unique/definitions.ts'
import { uniquesOf } from './unique/show.ts'

/** What the routes of the model share. */
export interface ModelTools {
  readonly read: Storage['read']
  readonly zone: Zone
  showing(actor: Caller): Showing
  /** Holds the account's chain exclusively, so that checks against the model stay true until the commit. */
  alter<T>(actor: Caller, work: (tx: Tx) => Promise<T>): Promise<T>
  succeed(changing: Promise<void>): Promise<'success'>
}

/** Attributes of objects, their groups and their unique rules. */
export function attributeRoutes(
  { read, zone, showing, alter, succeed }: ModelTools,
  groupIdentifiers: Spelling,
): Route[] {
  return [
    handle(model.createAttribute, ({ actor, body }) => alter(actor, (tx) => createAttribute(tx, body, showing(actor)))),
    handle(
      model.updateAttribute,
      ({ actor, params, body }) => succeed(alter(actor, (tx) => updateAttribute(tx, params.id, body, showing(actor)))),
      ({ actor, params }) => findAttribute(read, actor.account, params.id),
    ),
    handle(model.deleteAttribute, ({ actor, params }) =>
      succeed(alter(actor, (tx) => deleteAttribute(tx, params.id, showing(actor)))),
    ),
    handle(model.searchAttributes, async ({ actor, body }) => {
      const rows = await matchAttributes(await selectAttributes(read, actor.account).execute(), body, zone)
      return rows.map((row) => showAttribute(row, showing(actor)))
    }),

    handle(model.createGroup, ({ actor, body }) =>
      alter(actor, (tx) => createGroup(tx, body, showing(actor), groupIdentifiers)),
    ),
    handle(model.updateGroup, ({ actor, body }) =>
      succeed(alter(actor, (tx) => updateGroup(tx, Number(body.condition.id), body.data, showing(actor)))),
    ),
    handle(model.deleteGroup, ({ actor, params }) =>
      succeed(alter(actor, (tx) => deleteGroup(tx, params.id, showing(actor)))),
    ),
    handle(model.moveAttributes, ({ actor, body }) =>
      succeed(alter(actor, (tx) => moveAttributes(tx, body.data, showing(actor)))),
    ),
    handle(model.removeAttributeFromGroup, ({ actor, params }) =>
      succeed(alter(actor, (tx) => removeFromGroup(tx, params, showing(actor)))),
    ),
    handle(uniques.createRule, ({ actor, params, body }) =>
      alter(actor, (tx) => createUnique(tx, params.bk_obj_id, body, showing(actor))),
    ),
    handle(uniques.updateRule, ({ actor, params, body }) =>
      succeed(alter(actor, (tx) => updateUnique(tx, params.bk_obj_id, params.id, body, showing(actor)))),
    ),
    handle(uniques.deleteRule, ({ actor, params }) =>
      succeed(alter(actor, (tx) => deleteUnique(tx, params.bk_obj_id, params.id, showing(actor)))),
    ),
    handle(uniques.searchRules, ({ actor, params }) =>
      uniquesOf(read, actor.account, params.bk_obj_id, showing(actor)),
    ),
    handle(model.searchGroups, async ({ actor, params }) => {
      if (!(await objectCalled(read, actor.account, params.bk_obj_id))) throw problem('notFound')
      const rows = await selectGroups(read, actor.account).where('object_id', '=', params.bk_obj_id).execute()
      return rows.map((row) => showGroup(row, showing(actor)))
    }),
  ]
}
