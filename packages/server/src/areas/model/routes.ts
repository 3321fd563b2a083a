import { model, problem, uniques } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import type { Dialect } from '../../http/dialect.ts'
import { type Caller, handle, type Route } from '../../http/route.ts'
import type { Storage, Tx } from '../../storage/index.ts'
import { moveAttributes, removeFromGroup } from './definitions/attribute-places.ts'
import { createAttribute, deleteAttribute, updateAttribute } from './definitions/attributes.ts'
import { createClassification, deleteClassification, updateClassification } from './definitions/classifications.ts'
import { createGroup, deleteGroup, updateGroup } from './definitions/groups.ts'
import { createObject, deleteObject, updateObject } from './definitions/objects.ts'
import { type Showing, showAttribute, showClassification, showGroup, showObject } from './records.ts'
import {
  findAttribute,
  findClassification,
  findObject,
  objectCalled,
  selectAttributes,
  selectClassifications,
  selectGroups,
  selectObjects,
} from './rows.ts'
import { matchAttributes, matchClassifications, matchObjects } from './search.ts'
import { createUnique, deleteUnique, updateUnique } from './unique/definitions.ts'
import { uniquesOf } from './unique/show.ts'

export function modelRoutes(
  { read, change }: Storage,
  zone: Zone,
  { identifiers, groupIdentifiers }: Pick<Dialect, 'identifiers' | 'groupIdentifiers'>,
): Route[] {
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  /** Holds the account's chain exclusively, so that checks against the model stay true until the commit. */
  const alter = <T>(actor: Caller, work: (tx: Tx) => Promise<T>) => change(actor, work, { chain: 'exclusive' })
  const succeed = async (changing: Promise<void>) => {
    await changing
    return 'success' as const
  }

  return [
    handle(model.createClassification, ({ actor, body }) =>
      alter(actor, (tx) => createClassification(tx, body, showing(actor), identifiers)),
    ),
    handle(
      model.updateClassification,
      ({ actor, params, body }) =>
        succeed(alter(actor, (tx) => updateClassification(tx, params.id, body, showing(actor)))),
      ({ actor, params }) => findClassification(read, actor.account, params.id),
    ),
    handle(model.deleteClassification, ({ actor, params }) =>
      succeed(alter(actor, (tx) => deleteClassification(tx, params.id, showing(actor)))),
    ),
    handle(model.searchClassifications, async ({ actor, body }) => {
      const rows = await matchClassifications(await selectClassifications(read, actor.account).execute(), body, zone)
      return rows.map((row) => showClassification(row, showing(actor)))
    }),
    handle(model.searchClassifiedObjects, async ({ actor, body }) => {
      const rows = await matchClassifications(await selectClassifications(read, actor.account).execute(), body, zone)
      const objects = Map.groupBy(await selectObjects(read, actor.account).execute(), (row) => row.classification_id)
      return rows.map((row) => ({
        ...showClassification(row, showing(actor)),
        bk_objects: (objects.get(row.classification_id) ?? []).map((object) => showObject(object, showing(actor))),
      }))
    }),

    handle(model.createObject, ({ actor, body }) =>
      alter(actor, (tx) => createObject(tx, body, showing(actor), identifiers)),
    ),
    handle(
      model.updateObject,
      ({ actor, params, body }) => succeed(alter(actor, (tx) => updateObject(tx, params.id, body, showing(actor)))),
      ({ actor, params }) => findObject(read, actor.account, params.id),
    ),
    handle(model.deleteObject, ({ actor, params }) =>
      succeed(alter(actor, (tx) => deleteObject(tx, params.id, showing(actor)))),
    ),
    handle(model.searchObjects, async ({ actor, body }) => {
      const rows = await matchObjects(await selectObjects(read, actor.account).execute(), body, zone)
      return rows.map((row) => showObject(row, showing(actor)))
    }),

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
