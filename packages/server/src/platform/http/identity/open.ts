import { accountIn, defaultAccount, userIn } from './headers.ts'
import type { Identify } from './identified.ts'

const defaultUser = 'admin'

/** Believes what the caller says: for one's own machine only, which the fence and the start see to. */
export const openIdentity: Identify = ({ headers }) => ({
  user: userIn(headers) ?? defaultUser,
  account: accountIn(headers) ?? defaultAccount,
  confined: false,
  readOnly: false,
})
