import { hosts, moves, problem, topology } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import { Versioned } from '../../http/page.ts'
import { type Caller, handle, type Route } from '../../http/route.ts'
import type { Storage, Tx } from '../../storage/index.ts'
import { attributeName, modelOf, objectOf, type Showing } from '../model/index.ts'
import type { MissingEditGrant } from '../privileges/index.ts'
import { findBusiness } from '../topology/index.ts'
import { assignFromPool, emptyToIdle, moveToBuiltIn, moveToModules, moveToPool } from './placement/moves.ts'
import { showHost } from './record.ts'
import { findHost } from './rows.ts'
import { answerSearch } from './search/answer.ts'
import { businessHostCounts, hostCounts } from './search/counts.ts'
import { readHostIds } from './search/ids.ts'
import { addHosts } from './write/add.ts'
import { type Editor, updateHosts } from './write/change.ts'
import { deleteHosts } from './write/delete.ts'

/** A change of so many hosts runs in the writer thread. */
const many = 20

export function hostRoutes(storage: Storage, zone: Zone, lacks: MissingEditGrant): Route[] {
  const { read, change } = storage
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  const editor = (actor: Caller): Editor => ({ showing: showing(actor), lacks })

  async function changed(actor: Caller, count: number, work: (tx: Tx) => Promise<void>): Promise<null> {
    await change(actor, work, { bulk: count > many })
    return null
  }

  async function detail(actor: Caller, hostId: number) {
    const [host] = await findHost(read, { account: actor.account, hostId })
    if (!host) throw problem('hostNotFound')
    const object = objectOf(await modelOf(read, actor.account), 'host')
    const properties = Object.entries(showHost(object, host, showing(actor))).map(([id, value]) => {
      const attribute = object.attribute.get(id)
      return {
        bk_property_id: id,
        bk_property_name: attribute ? attributeName(attribute, actor.language) : id,
        bk_property_value: value,
      }
    })
    return new Versioned(properties, host.revision)
  }

  return [
    handle(hosts.addHosts, ({ actor, body }) => {
      const bizId = body.bk_biz_id ? Number(body.bk_biz_id) : undefined
      return addHosts(storage, actor, { bizId, rows: body.host_info, atomic: false }, editor(actor))
    }),
    handle(hosts.addHostsToModules, ({ actor, body }) => {
      const place = { bizId: Number(body.bk_biz_id), moduleIds: body.bk_module_id.map(Number) }
      return addHosts(storage, actor, { ...place, rows: body.host_info, atomic: true }, editor(actor))
    }),
    handle(hosts.updateHosts, ({ actor, body: { bk_host_id, ...sent } }) => {
      const ids = readHostIds(bk_host_id)
      return changed(actor, ids.length, (tx) => updateHosts(tx, ids, sent, editor(actor)))
    }),
    handle(hosts.deleteHosts, ({ actor, body }) => {
      const ids = readHostIds(body.bk_host_id)
      return changed(actor, ids.length, (tx) => deleteHosts(tx, ids, showing(actor)))
    }),
    handle(hosts.getHost, ({ actor, params }) => detail(actor, params.bk_host_id)),
    handle(hosts.getSnapshot, async () => null),
    handle(hosts.searchHosts, ({ actor, body }) => answerSearch(storage, actor, body, zone)),
    handle(topology.getBusinessHostCounts, ({ actor }) => businessHostCounts(storage, actor.account)),
    handle(topology.getHostCounts, async ({ actor, params }) =>
      hostCounts(storage, await findBusiness(read, actor.account, params.bk_biz_id)),
    ),

    handle(moves.moveToModules, ({ actor, body }) => {
      const hostIds = readHostIds(body.bk_host_id)
      const moduleIds = body.bk_module_id.map(Number)
      const move = { bizId: Number(body.bk_biz_id), hostIds, moduleIds, beside: body.is_increment ?? false }
      return changed(actor, hostIds.length, (tx) => moveToModules(tx, move))
    }),
    ...(['idle', 'fault'] as const).map((kind) =>
      handle(kind === 'idle' ? moves.moveToIdle : moves.moveToFault, ({ actor, body }) => {
        const ids = readHostIds(body.bk_host_id)
        return changed(actor, ids.length, (tx) => moveToBuiltIn(tx, Number(body.bk_biz_id), ids, kind))
      }),
    ),
    handle(moves.moveToPool, ({ actor, body }) => {
      const ids = readHostIds(body.bk_host_id)
      return changed(actor, ids.length, (tx) => moveToPool(tx, Number(body.bk_biz_id), ids))
    }),
    handle(moves.assignFromPool, ({ actor, body }) => {
      const ids = readHostIds(body.bk_host_id)
      return changed(actor, ids.length, (tx) => assignFromPool(tx, Number(body.bk_biz_id), ids))
    }),
    handle(moves.emptyToIdle, ({ actor, body }) => {
      const [setId, moduleId] = [body.bk_set_id, body.bk_module_id].map((id) => (id ? Number(id) : undefined))
      if (setId === undefined && moduleId === undefined) throw problem('unassigned', { field: 'bk_set_id' })
      // The request may name few modules with any number of hosts.
      return changed(actor, many + 1, (tx) => emptyToIdle(tx, Number(body.bk_biz_id), { setId, moduleId }))
    }),
  ]
}
