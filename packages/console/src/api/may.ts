import { type Endpoint, privileges } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { ask } from './ask.ts'
import { account } from './call.ts'
import { useSession } from './session.ts'

/**
 * Why the caller may not do this, in the server's own sentence; undefined while they may, or while nobody knows.
 * The server judges again when it is done: this only spares people the attempt.
 */
export function useRefusal(
  operation: Endpoint,
  about: Readonly<Record<string, number | string>> = {},
): string | undefined {
  const query = {
    operation: operation.name,
    ...Object.fromEntries(Object.entries(about).map(([key, value]) => [key, String(value)])),
  }
  const user = useSession().data?.user
  const { data } = useQuery({
    ...ask(privileges.explainPrivilege, {
      params: { bk_supplier_account: account, user_name: user ?? '' },
      query,
    }),
    staleTime: 30_000,
    enabled: Boolean(user),
  })
  return data && !data.allowed ? data.reason : undefined
}
