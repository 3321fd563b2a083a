import { type DataOf, instances, model, topology } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Attribute, EnumChoice } from '../forms/attributes.ts'
import { askThen } from './ask.ts'
import { account } from './call.ts'

/** The attributes of an object in their order. The model changes rarely. */
export const attributesOf = (object: string) => ({
  ...askThen(model.searchAttributes, { body: { bk_obj_id: object } }),
  staleTime: 60_000,
  select: (attributes: unknown) => attributes as Attribute[],
})

/** If there are more cloud areas than one page, they are shown by number, as for users who may not list them. */
const mostAreas = 200

interface Area {
  readonly bk_cloud_id?: number
  readonly bk_cloud_name?: string
}

const cloudAreas = () => ({
  ...askThen(instances.searchInstance, {
    params: { bk_supplier_account: account, bk_obj_id: 'plat' },
    body: { page: { start: 0, limit: mostAreas }, fields: ['bk_cloud_id', 'bk_cloud_name'] },
  }),
  staleTime: 60_000,
  select: ({ count, info }: DataOf<typeof instances.searchInstance>): EnumChoice[] | undefined =>
    count > mostAreas
      ? undefined
      : (info as Area[]).map((area) => ({ id: String(area.bk_cloud_id), name: area.bk_cloud_name ?? '' })),
})

interface HostModel {
  /** Undefined while loading. */
  readonly attributes: readonly Attribute[] | undefined
  /** Why they could not be loaded. */
  readonly error: Error | null
  retry(): void
}

/** The attributes of hosts. The cloud area is a number in the API, and is shown by its name. */
export function useHostModel(): HostModel {
  const { data, error, refetch } = useQuery(attributesOf('host'))
  const areas = useQuery(cloudAreas()).data
  const attributes = useMemo(
    () => data?.map((each) => (each.bk_property_id === 'bk_cloud_id' && areas ? { ...each, option: areas } : each)),
    [data, areas],
  )
  return { attributes, error: data ? null : error, retry: () => void refetch() }
}

export const useHostAttributes = (): readonly Attribute[] | undefined => useHostModel().attributes

export interface Link {
  readonly bk_obj_id: string
  readonly bk_obj_name: string
  readonly bk_pre_obj_id: string
  readonly bk_next_obj: string
}

/** The main line from business to host. */
export const chain = () => ({
  ...askThen(topology.searchChain, { params: { bk_supplier_account: account } }),
  staleTime: 60_000,
  select: (links: unknown) => links as Link[],
})

/** Attributes that a form shows when creating and when editing. */
export const forCreating = (attributes: readonly Attribute[]) => attributes.filter((each) => !each.isreadonly)
export const forEditing = (attributes: readonly Attribute[]) =>
  attributes.filter((each) => each.editable && !each.isreadonly)
