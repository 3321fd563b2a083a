import { model } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import { account } from '../../api/call.ts'

export type ObjectRecord = model.ObjectRecord
export type Group = model.GroupRecord
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
