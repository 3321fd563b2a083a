import { session } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { ask, questions } from './ask.ts'
import { hasToken, keepToken } from './call.ts'

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

/** Where people sign in with their browser, they come back to where they were. */
export const loginAddress = ({ sign_in }: Session): string =>
  `${sign_in.url}?${new URLSearchParams({ to: location.pathname + location.search })}`

const hasLogin = (session: Session) => session.sign_in.way === 'login' && session.user !== null

/** Who got in by a token of this tab, or by a login, can leave again; others were let in by somebody else. */
export const canSignOut = (session: Session | undefined): boolean =>
  hasToken() || (session !== undefined && hasLogin(session))

export async function signOut(session: Session | undefined): Promise<void> {
  if (session && hasLogin(session)) await fetch('/logout', { method: 'POST' }).catch(() => {})
  signIn(null)
}
