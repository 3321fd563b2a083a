import { associations } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import { type Caller, handle, type Route } from '../../http/route.ts'
import type { Storage, Tx } from '../../storage/index.ts'
import { matchRecords, type Showing } from '../model/index.ts'
import type { HiddenObjects } from '../privileges/index.ts'
import { createInstanceAssociation, deleteInstanceAssociation } from './instance-associations.ts'
import { createKind, deleteKind, findKind, kindFields, readKinds, showKind, updateKind } from './kinds.ts'
import {
  createObjectAssociation,
  deleteObjectAssociation,
  findObjectAssociation,
  objectAssociationFields,
  readObjectAssociations,
  updateObjectAssociation,
} from './object-associations.ts'
import { relatedTo, searchAssociations, visibleTo } from './search.ts'

/** There are few kinds, so without a page all of them are returned. */
const allKinds = { start: 0, limit: Infinity }

export function associationRoutes(storage: Storage, zone: Zone, hidden: HiddenObjects): Route[] {
  const { read, change } = storage
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  /** Locks the model against other changes. */
  const alter = <T>(actor: Caller, work: (tx: Tx) => Promise<T>) => change(actor, work, { chain: 'exclusive' })
  const succeed = async (changing: Promise<void>) => {
    await changing
    return 'success' as const
  }

  return [
    handle(associations.searchKinds, async ({ actor, body }) => {
      const kinds = (await readKinds(read, actor.account)).map((kind) => showKind(kind, actor))
      const found = await matchRecords(kinds, kindFields, body.condition ?? {}, zone)
      const { start, limit } = { ...allKinds, ...body.page }
      return { count: found.length, info: found.slice(start, start + limit) }
    }),
    handle(associations.createKind, ({ actor, body }) => alter(actor, (tx) => createKind(tx, body, showing(actor)))),
    handle(
      associations.updateKind,
      ({ actor, params, body }) => succeed(alter(actor, (tx) => updateKind(tx, params.id, body))),
      ({ actor, params }) => findKind(read, actor.account, params.id),
    ),
    handle(associations.deleteKind, ({ actor, params }) => succeed(alter(actor, (tx) => deleteKind(tx, params.id)))),
    handle(associations.searchByKinds, async ({ actor, body }) => {
      const all = Map.groupBy(await readObjectAssociations(read, actor.account), (each) => each.bk_asst_id)
      const asked = [...new Set(body.asst_ids)]
      return { associations: asked.map((id) => ({ bk_asst_id: id, assts: all.get(id) ?? [] })) }
    }),

    handle(associations.createObjectAssociation, ({ actor, body }) =>
      alter(actor, (tx) => createObjectAssociation(tx, body)),
    ),
    handle(associations.searchObjectAssociations, async ({ actor, body }) =>
      matchRecords(
        await readObjectAssociations(read, actor.account),
        objectAssociationFields,
        body.condition ?? {},
        zone,
      ),
    ),
    handle(
      associations.updateObjectAssociation,
      ({ actor, params, body }) => succeed(alter(actor, (tx) => updateObjectAssociation(tx, params.id, body))),
      ({ actor, params }) => findObjectAssociation(read, actor.account, params.id),
    ),
    handle(associations.deleteObjectAssociation, ({ actor, params }) =>
      succeed(alter(actor, (tx) => deleteObjectAssociation(tx, params.id))),
    ),

    handle(associations.createInstanceAssociation, ({ actor, body }) =>
      change(actor, (tx) => createInstanceAssociation(tx, body)),
    ),
    handle(associations.searchInstanceAssociations, async ({ actor, body }) =>
      searchAssociations(storage, actor, await visibleTo(storage, actor, hidden), { ...body, zone }),
    ),
    handle(associations.searchRelated, async ({ actor, body }) => {
      const instance = { object: body.condition.bk_obj_id, id: Number(body.condition.bk_inst_id) }
      return relatedTo(storage.heavy, actor.account, await visibleTo(storage, actor, hidden), instance, body.page)
    }),
    handle(associations.deleteInstanceAssociation, ({ actor, params }) =>
      succeed(change(actor, (tx) => deleteInstanceAssociation(tx, params.association_id))),
    ),
  ]
}
