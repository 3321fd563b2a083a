import { accountIn, defaultAccount, userIn } from './headers.ts'
import type { Identify } from './identified.ts'

const defaultUser = 'admin'

/** Trusts the caller's identity headers. Only for loopback, which start-up and the cross-site guard enforce. */
export const openIdentity: Identify = ({ headers }) => ({
  user: userIn(headers) ?? defaultUser,
  account: accountIn(headers) ?? defaultAccount,
  confined: false,
  readOnly: false,
})
