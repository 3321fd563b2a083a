import { session } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { ask, questions } from './ask.ts'
import { call, hasToken, keepToken } from './call.ts'
import { setExpired } from './expiry.ts'

export interface Session {
  readonly auth: string
  readonly user: string | null
  readonly sign_in: { readonly way: 'none' | 'token' | 'login'; readonly url: string }
}

/** The caller as the server sees it, and how to sign in. */
const currentSession = () => ({
  ...ask(session.getSession, {}),
  staleTime: 60_000,
  select: (found: unknown) => found as Session,
})

export const useSession = () => useQuery(currentSession())

/** Uses this token, or none, from now on, and drops all cached answers of the previous user. */
export function signIn(token: string | null): void {
  keepToken(token)
  questions.clear()
  location.reload()
}

/**
 * Signs in again without leaving the page, so that typed values are kept; undefined for the token keeps a login that was renewed in another tab.
 * Returns false if the server refuses it. Another user than before starts afresh.
 */
export async function signInAgain(user: string | null, token: string | undefined): Promise<boolean> {
  if (token !== undefined) keepToken(token)
  const now = (await call(session.getSession, {}).catch(() => null)) as Session | null
  if (!now?.user) return false
  if (now.user !== user) {
    questions.clear()
    location.reload()
    return true
  }
  setExpired(false)
  void questions.invalidateQueries()
  return true
}

/** After signing in at the provider, users return to the same page. */
export const loginAddress = ({ sign_in }: Session): string =>
  `${sign_in.url}?${new URLSearchParams({ to: location.pathname + location.search })}`

const hasLogin = (session: Session) => session.sign_in.way === 'login' && session.user !== null

/** Users who signed in with a token of this tab, or with a login, can sign out; a proxy or certificate cannot be signed out here. */
export const canSignOut = (session: Session | undefined): boolean =>
  hasToken() || (session !== undefined && hasLogin(session))

export async function signOut(session: Session | undefined): Promise<void> {
  if (session && hasLogin(session)) await fetch('/logout', { method: 'POST' }).catch(() => {})
  signIn(null)
}
