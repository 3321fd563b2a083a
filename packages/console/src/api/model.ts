import { model, topology } from '@mainline/contract'
import type { Attribute } from '../forms/attributes.ts'
import { ask } from './ask.ts'
import { account } from './call.ts'

/** The attributes of an object in its order. The model changes seldom. */
export const attributesOf = (object: string) => ({
  ...ask(model.searchAttributes, { body: { bk_obj_id: object } }),
  staleTime: 60_000,
  select: (attributes: unknown) => attributes as Attribute[],
})

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
