import { model, problem } from '@mainline/contract'
import type { Spelling } from '../../platform/http/compat.ts'
import { type Caller, handle, type Route } from '../../platform/http/route.ts'
import type { Storage, Tx } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { createAttribute, deleteAttribute, updateAttribute } from './attributes.ts'
import { createClassification, deleteClassification, updateClassification } from './classifications.ts'
import { createGroup, deleteGroup, updateGroup } from './groups.ts'
import { createObject, deleteObject, updateObject } from './objects.ts'
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

export function modelRoutes({ read, change }: Storage, zone: Zone, identifiers: Spelling): Route[] {
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  /** Nothing else changes in the account meanwhile: what is checked against the model stays true until the commit. */
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

    handle(model.createGroup, ({ actor, body }) => alter(actor, (tx) => createGroup(tx, body, showing(actor)))),
    handle(model.updateGroup, ({ actor, body }) =>
      succeed(alter(actor, (tx) => updateGroup(tx, Number(body.condition.id), body.data, showing(actor)))),
    ),
    handle(model.deleteGroup, ({ actor, params }) =>
      succeed(alter(actor, (tx) => deleteGroup(tx, params.id, showing(actor)))),
    ),
    handle(model.searchGroups, async ({ actor, params }) => {
      if (!(await objectCalled(read, actor.account, params.bk_obj_id))) throw problem('notFound')
      const rows = await selectGroups(read, actor.account).where('object_id', '=', params.bk_obj_id).execute()
      return rows.map((row) => showGroup(row, showing(actor)))
    }),
  ]
}
