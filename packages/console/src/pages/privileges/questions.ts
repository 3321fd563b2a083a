import { privileges } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import { account } from '../../api/call.ts'

export interface Group {
  readonly group_id: string
  readonly group_name: string
  /** Separated by semicolons. */
  readonly user_list: string
  readonly bk_revision?: number
}

/** For administrators. */
export const userGroups = () =>
  ask(privileges.searchUserGroup, { params: { bk_supplier_account: account }, body: { fields: ['bk_revision'] } })
