import { hosts, instances, moves, Problem, problem, rule, topology } from '@mainline/contract'
import Type from 'typebox'
import { type Ask, isObject, type Sent } from '../http/dialect.ts'
import type { Caller } from '../http/route.ts'
import { readMultilike } from './multilike.ts'
import { override } from './override.ts'
import { ignoringUnknownSort, openPage } from './pages.ts'

/** The cloud area in the form of hosts: a list with one reference. */
const AreaReference = Type.Array(
  Type.Object({
    bk_inst_id: Type.Integer(),
    bk_inst_name: Type.String(),
    bk_obj_id: Type.Literal('plat'),
    bk_obj_name: Type.String(),
    bk_obj_icon: Type.String(),
    id: Type.String(),
  }),
)

const { properties: searchProperties } = hosts.searchHosts.data
const HostsWithAreas = Type.Object({
  ...searchProperties,
  info: Type.Array(
    Type.Object({
      ...searchProperties.info.items.properties,
      host: Type.Object({ bk_cloud_id: Type.Optional(AreaReference) }, { additionalProperties: true }),
    }),
  ),
})

/** An address block without a kind of address does not filter. */
const withoutEmptyAddresses = (sent: Sent): Sent =>
  isObject(sent.ip) && (sent.ip.flag === '' || sent.ip.data === undefined) ? { ...sent, ip: {} } : sent

async function areasCalled(actor: Caller, ask: Ask, ids: readonly number[]) {
  const found = await ask(instances.searchInstance, {
    actor,
    params: { bk_supplier_account: actor.account, bk_obj_id: 'plat' },
    body: { condition: { bk_inst_id: { $in: [...ids] } }, page: { start: 0, limit: 200 } },
  })
  return new Map(found.info.map((area) => [area.bk_inst_id, 'bk_cloud_name' in area ? String(area.bk_cloud_name) : '']))
}

/** Host search: the console's values for "no filter", and cloud areas as references with their names. */
export const hostSearch = override(hosts.searchHosts, {
  read: (sent) => openPage(readMultilike(withoutEmptyAddresses(sent))),
  data: HostsWithAreas,
  run: async (run, request, ask) => {
    const { count, info } = await ignoringUnknownSort(run, request)
    const ids = new Set(info.flatMap(({ host }) => (typeof host.bk_cloud_id === 'number' ? [host.bk_cloud_id] : [])))
    const names = ids.size > 0 ? await areasCalled(request.actor, ask, [...ids]) : new Map<number, string>()
    const reference = (id: number) => ({
      bk_inst_id: id,
      bk_inst_name: names.get(id) ?? '',
      bk_obj_id: 'plat',
      bk_obj_name: '',
      bk_obj_icon: '',
      id: String(id),
    })
    return {
      count,
      info: info.map(({ host, ...around }) => {
        const { bk_cloud_id: area } = host
        return { host: typeof area === 'number' ? { ...host, bk_cloud_id: [reference(area)] } : host, ...around }
      }),
    }
  },
})

/** Missing hosts are no error. */
const nothingToMove = (error: unknown): null => {
  if (error instanceof Problem && ['unassigned', 'moduleNotFound', 'unknown'].includes(error.kind)) {
    if (error.field !== 'bk_biz_id') return null
  }
  throw error
}

const PoolMove = Type.Object({
  ...moves.moveToPool.body.properties,
  bk_host_id: Type.Optional(
    Type.Union([Type.Array(Type.Unknown(), { maxItems: 0 }), moves.moveToPool.body.properties.bk_host_id]),
  ),
})

export const hostMoves = [
  override(moves.moveToModules, {
    run: async (run, request, ask) => {
      const { actor, body } = request
      const params = { bk_supplier_account: actor.account, bk_biz_id: Number(body.bk_biz_id) }
      const builtIn = await ask(topology.getInternal, { actor, params, body: {} }).catch(() => undefined)
      const ids = new Set(builtIn?.module.map((module) => module.bk_module_id))
      if (body.bk_module_id.some((id) => ids.has(Number(id)))) {
        throw problem('invalid', { field: 'bk_module_id', rule: rule('ownMove') })
      }
      return run(request)
    },
  }),
  override(moves.emptyToIdle, {
    run: async (run, request) => {
      try {
        return await run(request)
      } catch (error) {
        return nothingToMove(error)
      }
    },
  }),
  override(moves.moveToPool, {
    body: PoolMove,
    run: async (run, request) => {
      const ids: readonly unknown[] | undefined = request.body.bk_host_id
      return ids === undefined || ids.length === 0 ? null : run(request)
    },
  }),
]
