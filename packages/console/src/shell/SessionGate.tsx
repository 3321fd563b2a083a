import { type FormEvent, type ReactNode, useState } from 'react'
import { Dialog as Frame, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { hasToken } from '../api/call.ts'
import { useExpired } from '../api/expiry.ts'
import { loginAddress, type Session, signIn, signInAgain, useSession } from '../api/session.ts'
import { Empty } from '../kit/Blank.tsx'
import { Button } from '../kit/Button.tsx'
import { TextField } from '../kit/Field.tsx'
import { Icon } from '../kit/Icon.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

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
      {session.data && (expired || user === null) && <SignInAgain session={session.data} user={shownTo} />}
    </>
  )
}

const Refused = ({ text }: { text: string }) => (
  <div className="failure" role="alert">
    <Icon name="warning" />
    <p>{text}</p>
  </div>
)

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

function SignInAgain({ session, user }: { session: Session; user: string | null }) {
  const words = useWords(shell)
  const { way } = session.sign_in
  const [token, setToken] = useState('')
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState(false)
  const enter = async (event: FormEvent) => {
    event.preventDefault()
    // The form behind it in React's tree must not be submitted, too.
    event.stopPropagation()
    if (busy || (way === 'token' && !token.trim())) return
    setBusy(true)
    setRefused(!(await signInAgain(user, way === 'token' ? token.trim() : undefined)))
    setBusy(false)
  }
  return (
    <ModalOverlay className="overlay above" isOpen isKeyboardDismissDisabled>
      <Modal className="modal">
        <Frame className="dialog" role="alertdialog">
          <header>
            <Heading slot="title">{words.expired}</Heading>
          </header>
          <form className="dialog-body" onSubmit={enter}>
            <p>{words.expiredWhy}</p>
            {way === 'token' && (
              <TextField label={words.token} value={token} onChange={setToken} mono required autoFocus />
            )}
            {way === 'login' && (
              <p>
                <a href={session.sign_in.url} target="_blank" rel="noreferrer">
                  {words.loginElsewhere}
                </a>
              </p>
            )}
            {way === 'none' && <p>{words.noWay}</p>}
            {refused && <Refused text={way === 'token' ? words.tokenRefused : words.stillSignedOut} />}
            <div className="buttons ends">
              <Button look="primary" type="submit" busy={busy}>
                {way === 'token' ? words.signIn : words.signedInAgain}
              </Button>
            </div>
          </form>
        </Frame>
      </Modal>
    </ModalOverlay>
  )
}
