import { associations, businesses, type DataOf, hosts, instances, type Loss, topology } from '@mainline/contract'
import { aMoment, ask, askThen, whole } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'
import { patternOf } from '../../api/pattern.ts'
import { bodyOf } from '../hosts/questions.ts'

export type Instance = instances.InstanceRecord
export type ObjectAssociation = associations.ObjectAssociationRecord
export type Impact = DataOf<typeof associations.getImpact>
export type Neighbourhood = DataOf<typeof associations.searchInstanceTopology>[number]
export type NeighbourGroup = Neighbourhood['prev'][number]
export type Direction = associations.ImpactDirection

/** An instance of any object, as associations name it. */
export interface End {
  readonly bk_obj_id: string
  readonly bk_inst_id: number
  readonly bk_inst_name: string
}

export const nameField = (object: string) => (object === 'plat' ? 'bk_cloud_name' : 'bk_inst_name')
export const nameOf = (instance: Instance): string => instance.bk_cloud_name ?? instance.bk_inst_name ?? ''

const ofObject = (object: string) => ({ bk_supplier_account: account, bk_obj_id: object })
const oneOf = (object: string, id: number) => ({ ...ofObject(object), bk_inst_id: id })

export const findInstances = (object: string, name: string, start: number, limit: number) => ({
  ...ask(instances.searchInstance, {
    params: ofObject(object),
    body: {
      page: { start, limit, sort: nameField(object) },
      fields: whole,
      condition: name.trim() ? { [nameField(object)]: { $regex: patternOf(name) } } : {},
    },
  }),
  staleTime: aMoment,
  select: (found: { count: number; info: unknown[] }) => ({ count: found.count, rows: found.info as Instance[] }),
})

export const oneInstance = (object: string, id: number) => ({
  ...ask(instances.searchInstance, {
    params: ofObject(object),
    body: { page: { start: 0, limit: 1 }, fields: whole, condition: { bk_inst_id: id } },
  }),
  select: (found: { info: unknown[] }) => (found.info as Instance[])[0] ?? null,
})

type Values = Record<string, unknown>

export const createInstance = (object: string, body: Values) =>
  call(instances.createInstance, { params: ofObject(object), body })
export const updateInstance = (object: string, id: number, body: Values, ifMatch: number | undefined) =>
  call(instances.updateInstance, { params: oneOf(object, id), body, ifMatch })
export const deleteInstance = (object: string, id: number, ifMatch: number | undefined) =>
  call(instances.deleteInstance, { params: oneOf(object, id), ifMatch })

/** What deletion rules would take with an instance; the refusal when they keep it. */
export const lossOf = (object: string, id: number) => ({
  queryKey: ['Instances', 'loss', object, id],
  queryFn: () =>
    call(instances.deleteInstance, { params: oneOf(object, id), query: { dry_run: 'true' } }) as Promise<Loss>,
  // Computed again each time the dialog opens.
  gcTime: 0,
  staleTime: 0,
})

export const neighbourhoodOf = (object: string, id: number) => ({
  ...askThen(associations.searchInstanceTopology, { params: oneOf(object, id) }),
  select: (found: Neighbourhood[]) => found[0],
})

/** Of those, the name of the association by its id. */
export const relatedTo = (object: string, id: number) => ({
  ...askThen(associations.searchRelated, { body: { condition: { bk_obj_id: object, bk_inst_id: id } } }),
})

export const impactOf = (object: string, id: number, direction: Direction, depth: number) =>
  askThen(associations.getImpact, {
    params: { bk_obj_id: object, bk_inst_id: id },
    query: { direction, depth: String(depth) },
  })

/** The associations in which instances of an object may take part. */
export const declaredFor = (object: string) => ({
  ...askThen(associations.searchObjectAssociations, { body: {} }),
  select: (found: ObjectAssociation[]) =>
    found.filter(
      (each) => each.bk_asst_id !== 'bk_mainline' && (each.bk_obj_id === object || each.bk_asst_obj_id === object),
    ),
})

export const associate = (association: string, source: number, target: number) =>
  call(associations.createInstanceAssociation, {
    body: { bk_obj_asst_id: association, bk_inst_id: source, bk_asst_inst_id: target },
  })
export const dissociate = (id: number) =>
  call(associations.deleteInstanceAssociation, { params: { association_id: id } })

const mostEnds = 20
/** Sets and modules are found together. */
const mostNodes = 200

/** Instances of any object by a part of their name, or of their address. */
export async function findEnds(object: string, words: string): Promise<End[]> {
  if (object === 'host') {
    const { info } = await call(hosts.searchHosts, {
      body: {
        ...bodyOf({ conditions: [], words, fields: ['bk_host_name'] }),
        page: { start: 0, limit: mostEnds, sort: 'bk_host_id' },
      },
    })
    return (info as { host: { bk_host_id: number; bk_host_innerip: string } }[]).map(({ host }) => ({
      bk_obj_id: object,
      bk_inst_id: host.bk_host_id,
      bk_inst_name: host.bk_host_innerip,
    }))
  }
  if (object === 'set' || object === 'module') {
    const { info } = await call(topology.searchNodes, {
      params: { bk_supplier_account: account },
      body: { name: words, page: { start: 0, limit: mostNodes } },
    })
    return info.filter((each) => each.bk_obj_id === object).slice(0, mostEnds) as End[]
  }
  if (object === 'biz') {
    const { info } = await call(businesses.searchBusiness, {
      params: { bk_supplier_account: account },
      body: {
        page: { start: 0, limit: mostEnds, sort: 'bk_biz_name' },
        fields: ['bk_biz_id', 'bk_biz_name'],
        condition: words.trim() ? { bk_biz_name: { $regex: patternOf(words) } } : {},
      },
    })
    return (info as unknown as { bk_biz_id: number; bk_biz_name: string }[]).map((each) => ({
      bk_obj_id: object,
      bk_inst_id: each.bk_biz_id,
      bk_inst_name: each.bk_biz_name,
    }))
  }
  const { info } = await call(instances.searchInstance, {
    params: ofObject(object),
    body: {
      page: { start: 0, limit: mostEnds, sort: nameField(object) },
      fields: [],
      condition: words.trim() ? { [nameField(object)]: { $regex: patternOf(words) } } : {},
    },
  })
  return (info as Instance[]).map((each) => ({
    bk_obj_id: object,
    bk_inst_id: each.bk_inst_id,
    bk_inst_name: nameOf(each),
  }))
}
