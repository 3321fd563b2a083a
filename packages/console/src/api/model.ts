import { type DataOf, instances, model, topology } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Attribute, EnumChoice } from '../forms/attributes.ts'
import { ask } from './ask.ts'
import { account } from './call.ts'

/** The attributes of an object in its order. The model changes seldom. */
export const attributesOf = (object: string) => ({
  ...ask(model.searchAttributes, { body: { bk_obj_id: object } }),
  staleTime: 60_000,
  select: (attributes: unknown) => attributes as Attribute[],
})

/** More areas than this are not offered: their numbers are shown, as they are to whoever may not look at areas. */
const mostAreas = 200

interface Area {
  readonly bk_cloud_id?: number
  readonly bk_cloud_name?: string
}

const cloudAreas = () => ({
  ...ask(instances.searchInstance, {
    params: { bk_supplier_account: account, bk_obj_id: 'plat' },
    body: { page: { start: 0, limit: mostAreas }, fields: ['bk_cloud_id', 'bk_cloud_name'] },
  }),
  staleTime: 60_000,
  select: ({ count, info }: DataOf<typeof instances.searchInstance>): EnumChoice[] | undefined =>
    count > mostAreas
      ? undefined
      : (info as Area[]).map((area) => ({ id: String(area.bk_cloud_id), name: area.bk_cloud_name ?? '' })),
})

export interface HostModel {
  /** Undefined until they are known. */
  readonly attributes: readonly Attribute[] | undefined
  /** Why they are not. */
  readonly error: Error | null
  retry(): void
}

/** The attributes of hosts. Their cloud area is a number to the interface, and one of these names to people. */
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
  ...ask(topology.searchChain, { params: { bk_supplier_account: account } }),
  staleTime: 60_000,
  select: (links: unknown) => links as Link[],
})

/** What a form may ask for when something is made, and when it is changed. */
export const forCreating = (attributes: readonly Attribute[]) => attributes.filter((each) => !each.isreadonly)
export const forEditing = (attributes: readonly Attribute[]) =>
  attributes.filter((each) => each.editable && !each.isreadonly)
