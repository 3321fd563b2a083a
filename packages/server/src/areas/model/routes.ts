import { model } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import type { Dialect } from '../../http/dialect.ts'
import { handle, type Route } from '../../http/route.ts'
import type { Storage } from '../../storage/index.ts'
import { attributeRoutes, type ModelTools } from './attribute-routes.ts'
import { createClassification, deleteClassification, updateClassification } from './definitions/classifications.ts'
import { createObject, deleteObject, updateObject } from './definitions/objects.ts'
import { showClassification, showObject } from './records.ts'
import { findClassification, findObject, selectClassifications, selectObjects } from './rows.ts'
import { matchClassifications, matchObjects } from './search.ts'

export function modelRoutes(
  { read, change }: Storage,
  zone: Zone,
  { identifiers, groupIdentifiers }: Pick<Dialect, 'identifiers' | 'groupIdentifiers'>,
): Route[] {
  const tools: ModelTools = {
    read,
    zone,
    showing: (actor) => ({ language: actor.language, zone }),
    alter: (actor, work) => change(actor, work, { chain: 'exclusive' }),
    async succeed(changing) {
      await changing
      return 'success'
    },
  }
  const { showing, alter, succeed } = tools

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
    ...attributeRoutes(tools, groupIdentifiers),
  ]
}
