import { session } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { ask, questions } from './ask.ts'
import { keepToken } from './call.ts'

export interface Session {
  readonly auth: string
  readonly user: string | null
  readonly sign_in: { readonly way: 'none' | 'token' | 'login'; readonly url: string }
}

/** Who the caller is, as the server sees it, and how to become somebody. */
export const currentSession = () => ({
  ...ask(session.getSession, {}),
  staleTime: 60_000,
  select: (found: unknown) => found as Session,
})

export const useSession = () => useQuery(currentSession())

/** From now on with this token, or without any. What was answered to somebody else is forgotten. */
export function signIn(token: string | null): void {
  keepToken(token)
  questions.clear()
  location.reload()
}
