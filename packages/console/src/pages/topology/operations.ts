import { businesses, instances, modules, sets } from '@mainline/contract'
import { askThen, whole } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'
import type { Place } from './tree.ts'

/** The API has separate operations for each kind of node; this module unifies them. */
export type Values = Record<string, unknown>

/** The loss of a deletion or of its dry run. */
export interface Loss {
  readonly goes: readonly { bk_obj_id: string; bk_inst_id: number; bk_inst_name: string }[]
  readonly count: number
  readonly hosts: number
}

export const nameOf = (object: string): string =>
  ({ biz: 'bk_biz_name', set: 'bk_set_name', module: 'bk_module_name' })[object] ?? 'bk_inst_name'

const one = { start: 0, limit: 1 }

/** The stored record of a node. */
export function recordOf(business: number, place: Place) {
  const found = { select: (answer: { info: unknown[] }) => (answer.info as Values[])[0] ?? null }
  switch (place.object) {
    case 'biz':
      return {
        ...askThen(businesses.searchBusiness, {
          params: { bk_supplier_account: account },
          body: { page: one, fields: whole, condition: { bk_biz_id: place.id } },
        }),
        ...found,
      }
    case 'set':
      return {
        ...askThen(sets.searchSet, {
          params: { bk_supplier_account: account, bk_biz_id: business },
          body: { page: one, fields: whole, condition: { bk_set_id: place.id } },
        }),
        ...found,
      }
    case 'module':
      return {
        ...askThen(modules.searchModule, {
          params: { bk_supplier_account: account, bk_biz_id: business, bk_set_id: place.parent?.id ?? 0 },
          body: { page: one, fields: whole, condition: { bk_module_id: place.id } },
        }),
        ...found,
      }
    default:
      return {
        ...askThen(instances.searchInstance, {
          params: { bk_supplier_account: account, bk_obj_id: place.object },
          body: { page: one, fields: whole, condition: { bk_inst_id: place.id } },
        }),
        ...found,
      }
  }
}

/** Returns the id of the created node. */
export async function createNode(business: number, object: string, parent: Place, values: Values): Promise<number> {
  const under = { ...values, bk_biz_id: business, bk_parent_id: parent.id, bk_supplier_account: account }
  switch (object) {
    case 'set': {
      const body = under as typeof under & { bk_set_name: unknown }
      return (await call(sets.createSet, { params: { bk_biz_id: business }, body })).bk_set_id
    }
    case 'module': {
      const params = { bk_biz_id: business, bk_set_id: parent.id }
      return (await call(modules.createModule, { params, body: values as { bk_module_name: unknown } })).bk_module_id
    }
    default: {
      const params = { bk_supplier_account: account, bk_obj_id: object }
      const body = under as typeof under & { bk_inst_name: unknown }
      return (await call(instances.createInstance, { params, body })).bk_inst_id
    }
  }
}

export async function updateNode(
  business: number,
  place: Place,
  values: Values,
  ifMatch: number | undefined,
): Promise<void> {
  switch (place.object) {
    case 'biz':
      await call(businesses.updateBusiness, {
        params: { bk_supplier_account: account, bk_biz_id: business },
        body: values,
        ifMatch,
      })
      return
    case 'set':
      await call(sets.updateSet, {
        params: { bk_biz_id: business, bk_set_id: place.id },
        body: { ...values, bk_biz_id: business },
        ifMatch,
      })
      return
    case 'module':
      await call(modules.updateModule, { params: moduleParams(business, place), body: values, ifMatch })
      return
    default:
      await call(instances.updateInstance, { params: instanceParams(place), body: values, ifMatch })
  }
}

/** The operation that updates a node, as the representative of all edits, and its parameters for explain_privilege. */
export function changing(business: number, place: Place) {
  const operations = { biz: businesses.updateBusiness, set: sets.updateSet, module: modules.updateModule }
  return {
    operation: operations[place.object as keyof typeof operations] ?? instances.updateInstance,
    about: { bk_biz_id: business, bk_obj_id: place.object, bk_inst_id: place.id },
  }
}

interface How {
  /** With `dry_run` nothing is changed. */
  readonly query?: Record<string, string>
  readonly ifMatch?: number | undefined
}

function remove(business: number, place: Place, how: How): Promise<unknown> {
  switch (place.object) {
    case 'set':
      return call(sets.deleteSet, { params: { bk_biz_id: business, bk_set_id: place.id }, ...how })
    case 'module':
      return call(modules.deleteModule, { params: moduleParams(business, place), ...how })
    default:
      return call(instances.deleteInstance, { params: instanceParams(place), ...how })
  }
}

export const deleteNode = (business: number, place: Place, ifMatch: number | undefined): Promise<unknown> =>
  remove(business, place, { ifMatch })
export const lossOf = (business: number, place: Place) => ({
  queryKey: ['Topology', 'loss', business, place.key],
  queryFn: () => remove(business, place, { query: { dry_run: 'true' } }) as Promise<Loss>,
  // The loss is computed again each time the dialog opens.
  gcTime: 0,
  staleTime: 0,
})

export const archiveBusiness = (business: number, ifMatch: number | undefined): Promise<unknown> =>
  call(businesses.archiveBusiness, { params: { bk_supplier_account: account, bk_biz_id: business }, ifMatch })

const moduleParams = (business: number, place: Place) => ({
  bk_biz_id: business,
  bk_set_id: place.parent?.id ?? 0,
  bk_module_id: place.id,
})
const instanceParams = (place: Place) => ({
  bk_supplier_account: account,
  bk_obj_id: place.object,
  bk_inst_id: place.id,
})
