import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState, useSyncExternalStore } from 'react'
import { hasToken } from '../api/call.ts'
import { isUnauthenticated } from '../api/failures.ts'
import { loginAddress, type Session, signIn, useSession } from '../api/session.ts'
import { Empty } from '../kit/Blank.tsx'
import { Button } from '../kit/Button.tsx'
import { TextField } from '../kit/Field.tsx'
import { Icon } from '../kit/Icon.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

/** While the server does not know the caller, no page is shown. */
export function SessionGate({ children }: { children: ReactNode }) {
  const session = useSession()
  const cache = useQueryClient().getQueryCache()
  const refusal = useSyncExternalStore(
    (changed) => cache.subscribe(changed),
    () => cache.getAll().find(({ state }) => isUnauthenticated(state.error))?.state.error ?? null,
  )
  if (session.data && (session.data.user === null || refusal)) return <SignIn session={session.data} />
  return children
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
        {hasToken() && (
          <div className="failure" role="alert">
            <Icon name="warning" />
            <p>{words.tokenRefused}</p>
          </div>
        )}
      </Empty>
    </main>
  )
}
