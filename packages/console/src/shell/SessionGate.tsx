import { type FormEvent, lazy, type ReactNode, Suspense, useState } from 'react'
import { hasToken } from '../api/call.ts'
import { useExpired } from '../api/expiry.ts'
import { loginAddress, type Session, signIn, useSession } from '../api/session.ts'
import { Empty } from '../kit/Blank.tsx'
import { Button } from '../kit/Button.tsx'
import { TextField } from '../kit/Field.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'
import { Refused } from './Refused.tsx'

const SignInAgain = lazy(() => import('./SignInAgain.tsx').then((file) => ({ default: file.SignInAgain })))

/**
 * While the server does not know the caller, no page is shown. A caller whose token or login expires signs in again over the page, which keeps
 * what was typed.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const session = useSession()
  const expired = useExpired()
  // The user of the pages that are shown: they stay when the session ends.
  const [shownTo, setShownTo] = useState<string | null>(null)
  const user = session.data?.user ?? null
  if (user !== null && user !== shownTo) setShownTo(user)
  if (session.data && user === null && shownTo === null) return <SignIn session={session.data} />
  return (
    <>
      {children}
      {session.data && (expired || user === null) && (
        <Suspense>
          <SignInAgain session={session.data} user={shownTo} />
        </Suspense>
      )}
    </>
  )
}

function SignIn({ session }: { session: Session }) {
  const words = useWords(shell)
  const [token, setToken] = useState('')
  const enter = (event: FormEvent) => {
    event.preventDefault()
    if (token.trim()) signIn(token.trim())
  }
  return (
    <main className="page" id="content">
      <Empty title={words.signedOut} page>
        {session.sign_in.way === 'token' && (
          <form className="sign-in" onSubmit={enter}>
            <p>{words.tokenWhy}</p>
            <TextField label={words.token} value={token} onChange={setToken} mono required autoFocus />
            <Button look="primary" type="submit">
              {words.signIn}
            </Button>
          </form>
        )}
        {session.sign_in.way === 'login' && (
          <>
            <p>{words.loginWhy}</p>
            <a className="button primary" href={loginAddress(session)}>
              {words.signIn}
            </a>
          </>
        )}
        {session.sign_in.way === 'none' && <p>{words.noWay}</p>}
        {hasToken() && <Refused text={words.tokenRefused} />}
      </Empty>
    </main>
  )
}
