import { associations, type DataOf, model, uniques } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import { account } from '../../api/call.ts'

export type ObjectRecord = model.ObjectRecord
export type Group = model.GroupRecord
export type UniqueRule = uniques.UniqueRuleRecord
export type ObjectAssociation = associations.ObjectAssociationRecord
export interface Classification extends model.ClassificationRecord {
  readonly bk_objects: readonly ObjectRecord[]
}

/** Classifications, each with its objects. */
export const classified = () => ({
  ...ask(model.searchClassifiedObjects, { params: { bk_supplier_account: account }, body: {} }),
  select: (found: unknown) => found as Classification[],
})

export const groupsOf = (object: string) => ({
  ...ask(model.searchGroups, { params: { bk_supplier_account: account, bk_obj_id: object } }),
  select: (found: unknown) => found as Group[],
})

/** How often a rule is read while existing instances are checked. */
const checkingMs = 1_000

export const rulesOf = (object: string) => ({
  ...ask(uniques.searchRules, { params: { bk_obj_id: object } }),
  refetchInterval: ({ state }: { state: { data?: UniqueRule[] | undefined } }) =>
    state.data?.some((rule) => rule.bk_unique_state === 'checking') ? checkingMs : false,
})

/** The associations in which instances of an object may take part, those of the main line included. */
export const associationsOf = (object: string) => ({
  ...ask(associations.searchObjectAssociations, { body: {} }),
  select: (found: ObjectAssociation[]) =>
    found.filter((each) => each.bk_obj_id === object || each.bk_asst_obj_id === object),
})

/** Association kinds that can be chosen: that of the main line follows from the levels. */
export const kinds = () => ({
  ...ask(associations.searchKinds, { body: {} }),
  select: ({ info }: DataOf<typeof associations.searchKinds>) =>
    (info as associations.KindRecord[]).filter((each) => each.bk_asst_id !== 'bk_mainline'),
})
